import { nodeDrain } from '../../api/kinds.ts';
import type { NodeDrainSpec } from '../../api/v1alpha1/node-drain.schema.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { Clock } from '../../kube/clock.ts';
import { seconds } from '../../kube/clock.ts';
import { ConfigurationError } from '../../kube/errors.ts';
import type { Readable } from '../../kube/informer.ts';
import { Informer } from '../../kube/informer.ts';
import type { Logger } from '../../kube/log.ts';
import type { Random } from '../../kube/random.ts';
import type { DrainPlan } from '../../model/drain.ts';
import { planDrain } from '../../plan/plan-drain.ts';
import type { ReadOptions } from '../controller.ts';
import { explainTrouble } from '../explain-trouble.ts';
import { askAhead } from './ask-ahead.ts';
import { Budgets } from './budgets.ts';
import type { ReadDrain } from './drain.ts';
import { Guards } from './guards.ts';
import { observe } from './observe.ts';
import { PodsOnNodes } from './pods-on-nodes.ts';
import { Refusals } from './refusals.ts';

/** What a look ahead works with. */
export interface WhatIfParts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/**
 * What a drain would do about each pod of these nodes, if they were all cordoned now. Seen through the same eyes and planned by the same plan as the
 * real thing; what nobody has asked for yet is asked for as a dry run, and nothing is written. Throws `ConfigurationError` where something cannot be read.
 */
export async function whatIf(
  parts: WhatIfParts,
  names: readonly string[],
  spec: NodeDrainSpec,
  signal: AbortSignal,
): Promise<DrainPlan> {
  const end = new AbortController();
  const either = AbortSignal.any([signal, end.signal]);
  const context = { ...parts, informer: passingInformer(parts) };
  const guards = new Guards(context);
  const budgets = new Budgets(context);
  const pods = new PodsOnNodes(parts, () => {});
  const running = [...guards.informers, budgets.informer].map((informer) => informer.run(either));
  try {
    pods.want('what-if', names);
    await Promise.all(
      [...guards.informers, budgets.informer].map((informer) => readOnce(parts.clock, informer, either)),
    );
    await pods.settled(names, seconds(20), either);
    const nodes = {
      get: (key: string) => ({ key, version: '', uid: '', labels: {}, cordoned: true, cordonedBy: undefined }),
    };
    const none = () => Promise.resolve([]);
    const sight = { clock: parts.clock, nodes, pods, guards, budgets, attached: { to: none, notGone: none } };
    const read: ReadDrain = { ...nobody, spec: { ...spec, maxConcurrentNodes: names.length } };
    const refusals = new Refusals(parts.random, budgets);
    const looking = { read, names, refusals, fresh: new Map(), justCordoned: new Set<string>() };
    const drain = await observe({ ...sight, drains: () => [] }, looking, either);
    return planDrain(await askAhead(parts.client, drain, either));
  } finally {
    pods.stop();
    end.abort();
    await Promise.all(running);
  }
}

const nobody = {
  name: '',
  uid: '',
  generation: 0,
  resourceVersion: '',
  finalizers: [],
  status: nodeDrain.status.parse({}),
};

const passingInformer =
  ({ client, clock, random, logger }: WhatIfParts) =>
  <T, IndexName extends string>(options: ReadOptions<T, IndexName>): Informer<T, IndexName> =>
    new Informer({
      ...options,
      client,
      clock,
      random,
      onHandlerError: (error) => logger.error('a handler failed', { error }),
    });

/** A person waits: what cannot be read within seconds is an error to them. */
async function readOnce(clock: Clock, informer: Readable, signal: AbortSignal): Promise<void> {
  const limit = new AbortController();
  const timer = clock.after(seconds(20), () => limit.abort());
  try {
    await informer.synced(AbortSignal.any([signal, limit.signal]));
  } catch {
    if (signal.aborted) throw signal.reason;
    throw new ConfigurationError(explainTrouble(informer.name, informer.trouble ?? new Error('it does not answer')));
  } finally {
    timer.cancel();
  }
}
