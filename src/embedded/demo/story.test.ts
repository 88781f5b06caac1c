import { describe, expect, test } from 'vitest';
import { minutes, seconds } from '../../kube/clock.ts';
import { pods } from '../../kube/resources.ts';
import type { Act } from './acts/act.ts';
import { cancelAReplacement } from './acts/cancel-a-replacement.ts';
import { drainANode } from './acts/drain-a-node.ts';
import { loseADisk } from './acts/lose-a-disk.ts';
import { neverDrained } from './acts/never-drained.ts';
import { taintANode } from './acts/taint-a-node.ts';
import { acts } from './story.ts';
import type { Saboteur } from './testing/given-story.ts';
import { played } from './testing/given-story.ts';
import type { DemoWorld } from './world.ts';

describe('the story', () => {
  test.each([undefined, 1, 2, 3])('goes well, wherever chance has placed the pods (seed %s)', async (seed) => {
    const outcomes = await played(undefined, seed === undefined ? {} : { seed });
    expect(outcomes.filter(({ passed }) => !passed)).toEqual([]);
    expect(outcomes.map(({ act }) => act)).toEqual(['drain', 'taint', 'disk', 'never', 'cancel']);
  });

  test('shows with its usual seed what its headlines promise', async () => {
    const says = (await played(undefined)).map((outcome) => outcome.says);
    expect(says).toEqual([
      expect.stringMatching(/^n\d was drained and its disks destroyed/),
      expect.stringMatching(/^dbserver-\d+ on n4 was noticed, waited for and replaced$/),
      expect.stringMatching(/^the disk of dbserver-\d+ died, its shards were rebuilt/),
      'single-1 was asked for 10 min and held: single-1 stays: pods of the role single are never evicted; stop the service, or force this pod by name',
      expect.stringMatching(/the same process groups, nothing excluded$/),
    ]);
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
    const servers = cluster
      .processes()
      .filter(({ namespace, name }) => namespace === 'shop' && name.startsWith('dbserver'));
    for (const { disks } of servers.slice(1)) for (const disk of disks) cluster.loseDisk(disk);
  },
};
const neverReplaces: Saboteur = {
  every: minutes(1),
  strike(world) {
    const shop = world.database('shop');
    shop.spec = { ...shop.spec, replacements: { ...shop.spec.replacements, enabled: false } };
  },
};
/** Whom Drover holds because it has the only copy. */
const takesTheLastCopy: Saboteur = {
  every: seconds(1),
  async strike(world) {
    const { asks, decided } = world.database('shop');
    for (const { group } of asks.values()) {
      const answer = decided?.decision.verdicts.find((verdict) => verdict.group === group)?.eviction;
      const isHeld = answer?.kind === 'wait' && answer.reasons.some(({ code }) => code === 'LastReplica');
      if (isHeld) await deletePod(world, 'shop', group);
    }
  },
};
const takesTheLoneServer: Saboteur = {
  every: seconds(1),
  async strike(world) {
    if (world.database('reports').asks.size > 0) await deletePod(world, 'reports', 'single-1');
  },
};
const wantsOneMore: Saboteur = {
  every: seconds(5),
  strike(world) {
    const shop = world.database('shop');
    if (shop.spec.cancelReplacements.length === 0) return;
    shop.spec = {
      ...shop.spec,
      roles: shop.spec.roles.map((role) => ({ ...role, count: role.name === 'agent' ? 3 : 6 })),
    };
  },
};

describe('an act is judged by what is so, not by what is said', () => {
  test.each([
    ['data is lost', drainANode, wipes, /^shop has lost data: /],
    ['nobody replaces', taintANode, neverReplaces, /is replaced: not within 240 min$/],
    ['the last copy is taken away', loseADisk, takesTheLastCopy, /was let go with the only copy of a shard$/],
    ['the lone server is taken away', neverDrained, takesTheLoneServer, /^single-1 was taken away$/],
    ['there is one more afterwards', cancelAReplacement, wantsOneMore, /^there were .*, and now /],
  ])('where %s, it fails', async (_, act, saboteur, why) => {
    const [outcome] = await played([act], { saboteur });
    expect(outcome).toMatchObject({ passed: false, says: expect.stringMatching(why) });
  });

  test('each act has one such test', () => {
    expect(acts).toEqual([drainANode, taintANode, loseADisk, neverDrained, cancelAReplacement]);
  });
});
