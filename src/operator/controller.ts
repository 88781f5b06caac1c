import type { KubeClient } from '../kube/client.ts';
import type { Clock } from '../kube/clock.ts';
import type { Reconcile } from '../kube/controller.ts';
import type { EventRecorder } from '../kube/event-recorder.ts';
import type { Informer, InformerOptions, Readable } from '../kube/informer.ts';
import type { Logger } from '../kube/log.ts';
import type { Metrics } from '../kube/metrics.ts';
import type { KeyText } from '../kube/object.ts';
import type { Random } from '../kube/random.ts';
import type { EngineSources } from './engine-room/engine-source.ts';
import type { Desk } from './lock/desk.ts';
import type { OwnIdentity } from './own-identity.ts';
import type { Permissions } from './rbac.ts';
import type { RoundWitness } from './round-witness.ts';

/** What every controller is given. */
export interface ControllerContext {
  /** Its writes are sent only while this process leads. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly recorder: EventRecorder;
  readonly metrics: Metrics;
  /** The engines that can be spoken to. */
  readonly engines: EngineSources;
  /** Where those who ask for pods and those who decide about them meet. */
  readonly desk: Desk;
  /** Taints by which others say that a node is about to go. */
  readonly leavingTaints: readonly string[];
  /** Whether pods that no lock can be on are covered by a webhook that fails closed. */
  readonly coversForeign: boolean;
  /** Who watches it decide, if anybody does. */
  readonly witness?: RoundWitness | undefined;
  /** Who the operator itself is. */
  readonly own: OwnIdentity;
  /** An informer that is logged and measured, and asked for by `/readyz` where it is one of the controller's `informers`. */
  readonly informer: <T, IndexName extends string>(options: ReadOptions<T, IndexName>) => Informer<T, IndexName>;
}

/** What a controller says of a kind that it reads. */
export type ReadOptions<T, IndexName extends string> = Omit<
  InformerOptions<T, IndexName>,
  'client' | 'clock' | 'random' | 'onHandlerError' | 'onHealth' | 'onRead'
>;

/** A controller that is ready to run. */
export interface Controller {
  /** What it reads through. They run on every replica, so that a new leader starts with a warm view. */
  readonly informers: readonly Readable[];
  /** Begins to add keys that want attention; called on the leader only. Call the result to stop. */
  watch(add: (key: KeyText) => void): () => void;
  readonly reconcile: Reconcile;
}

/** One line of the list in `controllers.ts`. */
export interface ControllerDefinition {
  readonly name: string;
  readonly permissions: Permissions;
  /** Keys that are worked on at the same time. */
  readonly workers: number;
  create(context: ControllerContext): Controller;
}
