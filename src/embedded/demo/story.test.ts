import { describe, expect, test } from 'vitest';
import { minutes, seconds } from '../../kube/clock.ts';
import { pods } from '../../kube/resources.ts';
import { reasons } from '../../model/reasons.ts';
import type { Act } from './acts/act.ts';
import { cancelAReplacement } from './acts/cancel-a-replacement.ts';
import { drainANode } from './acts/drain-a-node.ts';
import { loseADisk } from './acts/lose-a-disk.ts';
import { neverDrained } from './acts/never-drained.ts';
import { taintANode } from './acts/taint-a-node.ts';
import { nobody } from './audience.ts';
import { acts } from './story.ts';
import type { Saboteur } from './testing/given-story.ts';
import { played } from './testing/given-story.ts';
import type { DemoWorld } from './world.ts';

/** `npm run test:long` plays more. */
const otherSeeds = Array.from({ length: Number(process.env['DROVER_STORIES'] ?? 0) }, (_, index) => index + 1);

describe('the story', () => {
  test('shows with its usual seed what its headlines promise', async () => {
    const printed: string[] = [];
    const outcomes = await played(undefined, { audience: { ...nobody, onKubectl: (line) => printed.push(line) } });
    expect(outcomes.filter(({ passed }) => !passed)).toEqual([]);
    expect(outcomes.map(({ act }) => act)).toEqual(['drain', 'taint', 'disk', 'never', 'cancel']);
    expect(outcomes.map(({ says }) => says)).toEqual([
      expect.stringMatching(/^n3 was drained and its disks destroyed/),
      expect.stringMatching(/^server-\d+ on n4 was noticed, waited for and replaced$/),
      expect.stringMatching(/^the disk of server-\d+ died, its shards were rebuilt/),
      'single-1 was asked for 10 min and held: single-1 stays: pods of the role single are never evicted; stop the service, or force this pod by name',
      expect.stringMatching(/the same process groups, nothing excluded$/),
    ]);
    // What jane reads is what the webhook says while Drover lives, and what the lock says while it is dead.
    const text = printed.join('\n');
    expect(text).toMatch(
      /"shop-server-\d+" .*: admission webhook "evict.drover.dev" denied .* stays: it leads \d units/,
    );
    expect(text).toMatch(/"ledger-storage-\d+" .*: admission webhook .* stays: it is not drained yet/);
    expect(text).toMatch(/"ledger-storage-\d+" .*: Cannot evict pod as it would violate the pod's disruption budget\./);
    expect(text).toContain('the only healthy copy of shard');
  });

  test.each(otherSeeds)('goes well wherever chance has placed the pods (seed %i)', async (seed) => {
    expect((await played(undefined, { seed })).filter(({ passed }) => !passed)).toEqual([]);
  });

  test('ends with the first act that fails', async () => {
    const failing: Act = {
      ...neverDrained,
      async play(stage) {
        stage.check('it was doomed', false);
        return '';
      },
    };
    const outcomes = await played([failing, cancelAReplacement]);
    expect(outcomes).toMatchObject([{ act: 'never', passed: false, says: 'it was doomed' }]);
  });
});

const deletePod = ({ people, signal }: DemoWorld, namespace: string, name: string) =>
  people.delete(pods, { namespace, name }, { signal }).catch(() => {});

/** All disks of shop's servers but one, while the act goes on. */
const wipes: Saboteur = {
  every: minutes(2),
  strike({ cluster }) {
    const servers = cluster.processes().filter(({ namespace }) => namespace === 'shop');
    for (const { disks } of servers.slice(1)) for (const disk of disks) cluster.loseDisk(disk);
  },
};
/** Whoever is asked for, when nobody has been there for a while to say no. */
const takesWhatIsLocked = (): Saboteur => {
  let looksSinceDeath = 0;
  return {
    every: seconds(15),
    async strike(world) {
      looksSinceDeath = world.drover.living === undefined ? looksSinceDeath + 1 : 0;
      if (looksSinceDeath < 2) return;
      for (const { pod } of world.database('ledger').status().asks) await deletePod(world, 'ledger', pod);
    },
  };
};
const neverReplaces: Saboteur = {
  every: minutes(10),
  strike: (world) => world.change(world.database('shop'), { automationOptions: { replacements: { enabled: false } } }),
};
/** Whom Drover holds because it has the only copy. */
const takesTheLastCopy: Saboteur = {
  every: seconds(1),
  async strike(world) {
    for (const { processGroupID, waitingFor } of world.database('shop').status().processGroups) {
      const isHeld = waitingFor.some(({ code }) => code === reasons.lastReplica.code);
      if (isHeld) await deletePod(world, 'shop', `shop-${processGroupID}`);
    }
  },
};
const takesTheLoneServer: Saboteur = {
  every: seconds(1),
  async strike(world) {
    if (world.database('reports').status().asks.length > 0) await deletePod(world, 'reports', 'reports-single-1');
  },
};
const wantsOneMore: Saboteur = {
  every: seconds(5),
  async strike(world) {
    const shop = world.database('shop');
    if (shop.status().processGroups.length < 6) return;
    await world.change(shop, { roles: shop.plan.spec.roles.map((role) => ({ ...role, count: 6 })) });
  },
};

describe('an act is judged by what is so, not by what is said', () => {
  test.each([
    ['data is lost', drainANode, wipes, /^shop has lost data: /],
    ['the lock does not hold', drainANode, takesWhatIsLocked(), /^a pod went while Drover was dead$/],
    ['nobody replaces', taintANode, neverReplaces, /is replaced: not within 60 min$/],
    ['the last copy is taken away', loseADisk, takesTheLastCopy, /was let go with the only copy of a shard$/],
    [
      'the lone server is taken away',
      neverDrained,
      takesTheLoneServer,
      /^(single-1 was taken away$|reports has no quorum: )/,
    ],
    ['there is one more afterwards', cancelAReplacement, wantsOneMore, /^there were .*, and now /],
  ])('where %s, it fails', async (_, act, saboteur, why) => {
    const [outcome] = await played([act], { saboteur });
    expect(outcome).toMatchObject({ passed: false, says: expect.stringMatching(why) });
  });

  test('each act has such a test', () => {
    expect(acts).toEqual([drainANode, taintANode, loseADisk, neverDrained, cancelAReplacement]);
  });
});
