import { onTestFinished } from 'vitest';
import { KubeClient } from '../../../kube/client.ts';
import { seconds } from '../../../kube/clock.ts';
import { jsonCodec } from '../../../kube/codec.ts';
import { Informer } from '../../../kube/informer.ts';
import type { Labels } from '../../../kube/label-selection.ts';
import { seededRandom } from '../../../kube/random.ts';
import { validatingWebhookConfigurations } from '../../../kube/resources.ts';
import { VirtualClock } from '../../../kube/testing/virtual-clock.ts';
import type { Transport } from '../../../kube/transport.ts';
import type { ReadOptions } from '../../../operator/controller.ts';
import type { DisruptionBudget } from '../../../operator/lock/lock-budget.ts';
import { disruptionBudgets } from '../../../operator/lock/lock-budget.ts';
import { LockKeeper } from '../../../operator/lock/lock-keeper.ts';
import type { LockOwner } from '../../../operator/lock/lock-owner.ts';
import { webhookConfiguration } from '../../../operator/manifests.ts';
import { EmbeddedApiServer } from '../../api-server/api-server.ts';
import { inProcessTransport } from '../../api-server/in-process-transport.ts';

export const alive = new AbortController().signal;
export const call = { signal: alive };
/** A cluster of that name. */
export const owner = (name: string): LockOwner => ({
  kind: 'StatefulCluster',
  namespace: 'db',
  name,
  uid: `uid-${name}`,
});
export const orders = owner('orders');
const role = (name: string, labels: Labels = { role: name }) => ({
  role: name,
  selector: { matchLabels: labels },
  pods: [`${name}-1`, `${name}-2`],
});
export const [storage, log] = [role('storage'), role('log')];
export const labels = [{ role: 'storage' }, { role: 'log' }];
/** Somebody else's budget, on the logs. */
export const foreign: DisruptionBudget = {
  metadata: { namespace: 'db', name: 'chart' },
  spec: { maxUnavailable: 1, selector: { matchLabels: { role: 'log' } } },
};

/** A keeper on an API server in memory, which refuses to write what `refuses` names, in the path or in the body. */
export async function givenKeeper({ coversForeign = true } = {}) {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  // Without the garbage collector: the owners of these locks are nowhere.
  const server = new EmbeddedApiServer({ clock, random, controllers: false, namespaces: ['db'] });
  const state = { refuses: '', writes: new Array<string>() };
  const direct = inProcessTransport(server);
  const forbidden = JSON.stringify({
    kind: 'Status',
    status: 'Failure',
    reason: 'Forbidden',
    message: 'no',
    code: 403,
  });
  const transport: Transport = {
    close: () => {},
    send: async (request, signal) => {
      const isWrite = request.method !== 'GET';
      if (isWrite) state.writes.push(`${request.method} ${request.path.split('?', 1)[0]?.split('/').at(-1)}`);
      const isNamed = [request.path, request.body ?? ''].some((text) => text.includes(state.refuses));
      if (!isWrite || state.refuses === '' || !isNamed) return direct.send(request, signal);
      return { status: 403, headers: {}, warnings: [], body: oneChunk(forbidden) };
    },
  };
  const client = new KubeClient({ transport, clock, random });
  const people = new KubeClient({ transport: direct, clock, random });
  await people.create(validatingWebhookConfigurations, webhookConfiguration(), call);
  const informer = <T, Index extends string>(options: ReadOptions<T, Index>) =>
    new Informer<T, Index>({
      ...options,
      client,
      clock,
      random,
      onHandlerError: () => {},
      onHealth: () => {},
      onRead: () => {},
    });
  const own = { namespace: 'drover', serviceAccount: 'drover', image: 'drover' };
  const keeper = new LockKeeper({ informer, client, own, coversForeign });
  const end = new AbortController();
  onTestFinished(() => end.abort());
  for (const one of keeper.informers) void one.run(end.signal);
  await clock.pass(seconds(1));
  const heard: string[] = [];
  keeper.subscribe('StatefulCluster', {
    namespace: (namespace) => heard.push(namespace),
    owner: (key) => heard.push(key),
  });
  const seen = () => clock.pass(seconds(1));
  return { keeper, people, state, heard, seen };
}

async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

export type GivenKeeper = Awaited<ReturnType<typeof givenKeeper>>;

/** The locks are kept, and the watch has told of it. */
export async function keep({ keeper, seen }: GivenKeeper, roles = [storage, log], whose = orders) {
  const lock = await keeper.keep(whose, roles, labels, alive);
  await seen();
  return lock;
}

/** The names of all budgets. */
export async function budgets({ people }: GivenKeeper): Promise<readonly string[]> {
  const codec = jsonCodec<DisruptionBudget, string>(({ metadata }) => metadata.name);
  return (await people.list(disruptionBudgets, codec, { ...call, namespace: 'db' })).items.toSorted();
}
