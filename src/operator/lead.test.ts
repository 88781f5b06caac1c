import { afterEach, beforeEach, expect, test } from 'vitest';
import { KubeClient } from '../kube/client.ts';
import { minutes, seconds } from '../kube/clock.ts';
import { jsonCodec } from '../kube/codec.ts';
import { done } from '../kube/controller.ts';
import { Informer } from '../kube/informer.ts';
import { jsonLogger } from '../kube/log.ts';
import { Metrics } from '../kube/metrics.ts';
import type { KubeObject } from '../kube/object.ts';
import { seededRandom } from '../kube/random.ts';
import { RuntimeMetrics } from '../kube/runtime-metrics.ts';
import { CollectionServer } from '../kube/testing/collection-server.ts';
import { VirtualClock } from '../kube/testing/virtual-clock.ts';
import type { Controller } from './controller.ts';
import { lead } from './lead.ts';

let stop = new AbortController();
beforeEach(() => {
  stop = new AbortController();
});
afterEach(() => stop.abort());

function begin(controller: Controller, clock: VirtualClock): void {
  const definition = { name: 'test', permissions: { cluster: [], own: [] }, workers: 1, create: () => controller };
  const logger = jsonLogger({ level: 'silent', clock });
  void lead({ definition, controller }, clock, logger, new RuntimeMetrics(new Metrics()), stop.signal);
}

test('a replica that watched from behind begins to work with what the last leader left', async () => {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const server = new CollectionServer();
  // The first watch tells what there is, and then nothing more.
  server.fault = () => ({ kind: 'half-open' });
  const informer = new Informer<KubeObject>({
    client: new KubeClient({ transport: server, clock, random }),
    clock,
    random,
    resource: { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true },
    codec: jsonCodec<KubeObject, KubeObject>((object) => object),
    key: ({ metadata }) => metadata.name,
    version: ({ metadata }) => metadata.resourceVersion ?? '',
    indexes: {},
    onHandlerError: () => {},
  });
  void informer.run(stop.signal);
  await informer.synced(stop.signal);
  server.put('deleted-by-the-last-leader');
  await clock.pass(seconds(1));
  expect(informer.cache.size).toBe(0);

  server.fault = () => ({ kind: 'none' });
  const seen: number[] = [];
  const controller = {
    informers: [informer],
    watch(add: (key: string) => void) {
      add('db/orders');
      return () => {};
    },
    reconcile() {
      seen.push(informer.cache.size);
      return Promise.resolve(done);
    },
  };
  begin(controller, clock);
  await clock.pass(seconds(1));
  expect(seen).toEqual([1]);
});

test('what has failed for an hour is tried again within half a minute of the end of the trouble', async () => {
  const clock = new VirtualClock();
  const state = { isBroken: true, succeededAt: 0 };
  const controller: Controller = {
    informers: [],
    watch(add) {
      add('db/orders');
      return () => {};
    },
    reconcile() {
      if (state.isBroken) return Promise.reject(new Error('no connection'));
      state.succeededAt = clock.monotonic();
      return Promise.resolve(done);
    },
  };
  begin(controller, clock);
  await clock.pass(minutes(60));
  state.isBroken = false;
  const over = clock.monotonic();
  await clock.pass(minutes(20));
  expect(state.succeededAt).toBeGreaterThan(over);
  expect(state.succeededAt - over).toBeLessThanOrEqual(30_000);
});
