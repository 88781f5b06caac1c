import type { Engine } from '../../engines/engine.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { Clock } from '../../kube/clock.ts';
import type { Random } from '../../kube/random.ts';
import type { Transport } from '../../kube/transport.ts';
import type { Decision } from '../../model/decision.ts';
import type { ProcessGroup } from '../../model/process-group.ts';
import type { Ask, Grant, Snapshot } from '../../model/snapshot.ts';
import type { Topology } from '../../model/topology.ts';
import type { EmbeddedCluster } from '../cluster/cluster.ts';
import type { PodHooks } from '../cluster/kubelet/pod-hooks.ts';
import type { ModelEngine } from '../engines/model-engine.ts';
import type { Living } from '../operated/embedded-webhook.ts';
import type { Change } from './happenings.ts';

/** Where the pods of the simulated database live. */
export const namespace = 'db';

/** What a run takes place in. */
export interface Place {
  readonly clock: Clock;
  readonly cluster: EmbeddedCluster;
  /** How people reach the API server: without faults, so that what happens is what was drawn. */
  readonly people: KubeClient;
  readonly signal: AbortSignal;
}

/** What the API server has on record of a database, as far as it is judged. */
export interface OnRecord {
  readonly rows: readonly ProcessGroup[];
  readonly grants: readonly Grant[];
}

/** What people want of a role. */
export interface WantedRole {
  readonly name: string;
  readonly count: number;
  /** Whether one that fails is replaced without anybody asking. */
  readonly isReplaced: boolean;
}

/** A database, as far as a run breaks it and looks at it. */
export type Breakable = Pick<ModelEngine, 'truth' | 'whole' | 'answer' | 'isolate' | 'rejoin'>;

/** How one life of an operator reaches the world, with all that may be wrong with the way. */
export interface Surroundings {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  /** The engine, at the other end of a line that may be bad. */
  readonly over: (engine: Engine) => Engine;
  /** Told of every decision before anything is recorded or done on its account. */
  readonly onDecision: (snapshot: Snapshot, decision: Decision) => void;
  /** Told of what no network, no engine and no death can be blamed for. */
  readonly onDefect: (error: unknown) => void;
}

/** One life of an operator. */
export interface Life {
  /** Between seeing and doing: what it sees may be old, and what it decided may not be done yet. */
  readonly isAtWork: boolean;
  /** Resolves when it has ended because it was told to. Rejects with a defect. */
  readonly ended: Promise<void>;
}

/**
 * What a run is about: a database in pods, the operator that looks after it, and what people want of it. A run knows no more of any of them,
 * so that happenings, judge and settling are the same for all.
 */
export interface Subject {
  readonly model: Breakable;
  /** What people want now. */
  readonly roles: readonly WantedRole[];
  /** All that has to be there before the operator begins. */
  prepare(): Promise<void>;
  /** Data comes in. Called once, when the first processes run. */
  fill(): void;
  /** The operator begins, knowing nothing. It ends with the signal, from one moment to the next. */
  live(surroundings: Surroundings, signal: AbortSignal): Life;
  /** What the API server has on record, whatever the operator believes. */
  recorded(): OnRecord;
  /** The process group that a pod, or a claim, of this name belongs to; undefined: none. */
  groupOf(kind: 'pod' | 'claim', name: string): string | undefined;
  podOf(group: string): string;
  /** Somebody edits the spec. What cannot be wanted, such as fewer servers than copies, is not. */
  change(wanted: Change): Promise<void>;
  /** Those that people had cancelled may be replaced again. */
  cancelNothing(): Promise<void>;
  /** These, and no others, are asked to go. Only where nobody can evict: with an operator that has no webhook. */
  ask?(asks: readonly Ask[]): void;
  /** Whether nothing is lost if these process groups, some of which are gone already, go down all at once. */
  endures(topology: Topology, gone: ReadonlySet<string>): boolean;
  /** A pod or a claim that was made from an older spec. */
  outdated(): string | undefined;
  /** What was begun, told or written and nobody took back, once everything is over. */
  leftBehind(): string | undefined;
}

/** A subject before there is a cluster for it. */
export interface Deployment {
  readonly hooks: Required<PodHooks>;
  /** The operator that lives at the moment, as far as its webhook can be called. Default: it has none. */
  readonly living?: () => Living | undefined;
  readonly deploy: (place: Place) => Subject;
}
