import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transport, TransportRequest } from '../../../src/kube/transport.ts';
import { Stage, sharedPool } from './stage.ts';
import { changedStorage, watchFarewells } from './stories/maintaining.ts';
import type { Story } from './story.ts';
import { clusterOf } from './story.ts';
import { eventually } from './story-cluster.ts';
import { expectTwoOthers, oneWithoutIP, twoOfFive } from './two-of-five.ts';

/** At which write about its cluster the operator dies, and whether that write is still done. */
interface Death {
  readonly at: (request: TransportRequest, count: number) => boolean;
  readonly landed: boolean;
}

/** Counts the writes about each cluster from the moment on that its death was planned, and lets the operator die of them. */
class Deaths {
  readonly #planned = new Map<string, Death>();
  readonly #writes = new Map<string, number>();
  /** How many it died. */
  struck = 0;

  plan(namespace: string, death: Death): void {
    this.#planned.set(namespace, death);
    this.#writes.set(namespace, 0);
  }

  /** It has died of this cluster. */
  isOver(namespace: string): boolean {
    return !this.#planned.has(namespace);
  }

  readonly through = (direct: Transport, die: () => never): Transport => ({
    close: () => direct.close(),
    send: async (request, signal) => {
      const death = this.#deathOf(request);
      if (death?.landed === false) return die();
      const response = await direct.send(request, signal);
      return death === undefined ? response : die();
    },
  });

  /** Events are told on the side: nothing depends on them. */
  #deathOf(request: TransportRequest): Death | undefined {
    const { method, path } = request;
    const [, namespace = ''] = /\/namespaces\/([^/?]+)/.exec(path) ?? [];
    const before = this.#writes.get(namespace);
    if (method === 'GET' || path.includes('/events') || before === undefined) return undefined;
    this.#writes.set(namespace, before + 1);
    const death = this.#planned.get(namespace);
    if (death?.at(request, before + 1) !== true) return undefined;
    this.#planned.delete(namespace);
    this.struck += 1;
    return death;
  }
}

/**
 * Eight writes that every replacement of two comes to; with DROVER_ALL_DEATHS all that one was ever seen to come to, eight at a time. How many there
 * are depends on what is seen in one look.
 */
const isAll = process.env['DROVER_ALL_DEATHS'] !== undefined;
const [fewestWrites, mostWrites] = [17, 26];
const chosen = isAll ? Array.from({ length: mostWrites }, (_, index) => index + 1) : [1, 3, 5, 6, 8, 10, 12, 15];
const batches = Array.from({ length: Math.ceil(chosen.length / 8) }, (_, batch) =>
  chosen.slice(batch * 8, batch * 8 + 8),
);

const deaths = new Deaths();
let stage: Stage;
beforeAll(async () => {
  stage = await Stage.set(24);
  stage.keepOperator(deaths.through);
});
afterAll(async () => {
  // A replacement may be over before the last of the writes that were ever seen.
  if (isAll) console.log(`the operator died ${deaths.struck} of ${chosen.length + moments.length} deaths`);
  await stage?.stop();
});

const replacedTwo = (write: number, landed: boolean): Story => ({
  ...twoOfFive,
  says: `at write ${write}, which is ${landed ? 'done' : 'not done'}: it ends in the same way`,
  goes: async (cluster) => {
    const before = cluster.ids('storage');
    const gone = await oneWithoutIP(cluster);
    deaths.plan(cluster.namespace, { at: (_, count) => count === write, landed });
    await cluster.change({ processGroupsToRemove: gone });
    for (const id of gone) await cluster.isGone(id);
    await cluster.settles();
    await expectTwoOthers(cluster, before, gone);
    if (write <= fewestWrites) expect(deaths.isOver(cluster.namespace)).toBe(true);
  },
});

const isStatus = ({ path }: TransportRequest): boolean => path.includes('/status');
const body = (request: TransportRequest): string => request.body ?? '';

/** The moments of a maintenance at which a death would leave half a work behind. */
const moments: readonly (Death & { readonly moment: string })[] = [
  {
    moment: 'after the maintenance is recorded, and before the engine is told',
    at: (request) => isStatus(request) && /"maintenance":\{"zone"/.test(body(request)),
    landed: true,
  },
  {
    moment: 'with a pod deleted, and not back',
    at: ({ method, path }) => method === 'DELETE' && path.includes('/pods/'),
    landed: true,
  },
  {
    moment: 'with the pod back, before it is recorded that the maintenance is over',
    at: (request, count) => count > 1 && isStatus(request) && /"maintenance":null/.test(body(request)),
    landed: false,
  },
];

const maintained = ({ moment, at, landed }: (typeof moments)[number]): Story => ({
  says: `${moment}: the next one ends it`,
  spec: { automationOptions: { maintenanceModeOptions: { useMaintenanceModeChecker: true } } },
  goes: async (cluster) => {
    const [ids, pods, farewells] = [cluster.ids('storage'), cluster.uids(), watchFarewells(cluster)];
    deaths.plan(cluster.namespace, { at, landed });
    await cluster.change(changedStorage(sharedPool));
    await eventually(() => expect(cluster.remadeSince(pods)).toEqual([...ids].sort()));
    await cluster.settles();
    await eventually(() => expect([cluster.status.maintenance, cluster.toldZone]).toEqual([null, null]));
    expect(farewells.size).toBe(ids.length);
    for (const { zone, recorded, told } of farewells.values()) expect([recorded(), told]).toEqual([zone, zone]);
    await cluster.lostNothing();
    expect(deaths.isOver(cluster.namespace)).toBe(true);
  },
});

const play = (stories: readonly Story[], prefix: string): void => {
  it.each(stories.map((story, index) => [story.says, story, index] as const))('%s', async (_, story, index) => {
    await story.goes(await clusterOf(stage, story, `${prefix}-${index + 1}`));
  });
};

describe.each(batches.map((batch, index) => [index + 1, batch] as const))(
  'the operator is killed, batch %i',
  (number, batch) => {
    describe.concurrent('', { timeout: 400_000 }, () => {
      describe('while two of five are replaced, one without an IP', () => {
        // Done and not done in turn.
        play(
          batch.map((write) => replacedTwo(write, write % 2 === 0)),
          `replace-${number}`,
        );
      });
      if (number > 1) return;
      describe('while storage pods are made again under maintenance', () => play(moments.map(maintained), 'maintain'));
    });
  },
);
