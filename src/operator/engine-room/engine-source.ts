import type { EvictionGuardSpec } from '../../api/v1alpha1/eviction-guard.schema.ts';
import type { StatefulClusterSpec } from '../../api/v1alpha1/stateful-cluster.schema.ts';
import type { Engine } from '../../engines/engine.ts';
import type { ExecOptions, ExecResult } from '../../kube/exec.ts';
import type { KeyText } from '../../kube/object.ts';
import type { EngineType } from '../../model/cluster-spec.ts';
import type { ProcessGroupId } from '../../model/ids.ts';

/** What is known of a cluster or a guard, as it is on record at the time, that its engine may ask. */
export interface Surroundings {
  /** How clients find the database; null: nobody knows yet. */
  connectionString(): string | null;
  /** The process group that was last known by this address. */
  groupAt(host: string): ProcessGroupId | undefined;
  /** Its pods that are there now; and those that are away, which have no address. */
  pods(): readonly ReachablePod[];
  /** Runs a program in one of them. Rejects as `KubeClient.exec` does. */
  run(pod: string, options: ExecOptions): Promise<ExecResult>;
}

/** All that an engine may ask. */
export interface EngineSurroundings extends Surroundings {
  /** Whether a process group goes, by the last decision, so that nothing new is put on it. */
  leaves(group: ProcessGroupId): boolean;
}

/** A pod, as far as one needs to know it to speak to what runs in it. */
export interface ReachablePod {
  readonly name: string;
  readonly group: ProcessGroupId;
  /** The preferred one first; none before it has one. */
  readonly addresses: readonly string[];
  readonly ready: boolean;
}

/** Whose engine it is: a StatefulCluster or an EvictionGuard, as far as an engine is made from it. */
export interface EngineSubject {
  readonly key: KeyText;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly spec: { readonly engine: StatefulClusterSpec['engine'] | EvictionGuardSpec['engine'] };
}

/** Makes the engine of a cluster or a guard. Called once for each, and again when `spec.engine` has changed. */
export type EngineSource = (subject: EngineSubject, surroundings: EngineSurroundings) => Engine;

/** The engines that this operator can speak to. A type that is absent is not supported. */
export type EngineSources = { readonly [type in EngineType]?: EngineSource };
