import type { NodeTimings } from '../../src/embedded/cluster/nodes/node-timings.ts';
import { usualNodeTimings } from '../../src/embedded/cluster/nodes/node-timings.ts';
import type { Progress } from './build-progress.ts';
import type { Part } from './command-lines.ts';
import { ControlPlaneError } from './errors.ts';

/** A user with a token of its own, known to the API server from its start. What it may do, RBAC says. */
export interface ClusterUser {
  readonly name: string;
  readonly groups?: readonly string[] | undefined;
}

export interface ClusterOptions {
  /** How many nodes, named n1, n2, ...; 3 unless told. */
  readonly nodes?: number | undefined;
  /** Over how many zones z1, z2, ... they are dealt; 3 unless told, and never more than nodes. */
  readonly zones?: number | undefined;
  /** Parts to leave out. Without the controller manager there are no service accounts and nodes keep their taint; without kwok nodes and pods stay as they are created. */
  readonly without?: readonly Part[] | undefined;
  /** How soon a dead node is noticed: `usualNodeTimings` (50 s) unless told, `quickNodeTimings` (5 s), or your own. */
  readonly nodeTimings?: NodeTimings | undefined;
  /** Users to log in as, next to the admin; see `kubeconfigFor`. */
  readonly users?: readonly ClusterUser[] | undefined;
  /** Whether programs can be run in pods: those of `addProgram`. Not unless told. */
  readonly exec?: boolean | undefined;
  /** Further flags by part; they come last and win. */
  readonly extraFlags?: Partial<Readonly<Record<Part, readonly string[]>>> | undefined;
  /** Aborts the start; a cluster that runs is stopped by `stop()` alone. */
  readonly signal?: AbortSignal | undefined;
  /** Told of a first build of the binary; printed to standard error unless told otherwise. */
  readonly progress?: ((progress: Progress) => void) | undefined;
}

/** Options with every default filled in. */
export interface ResolvedOptions {
  readonly nodes: number;
  readonly zones: number;
  readonly without: ReadonlySet<Part>;
  readonly nodeTimings: NodeTimings;
  readonly users: readonly ClusterUser[];
  readonly exec: boolean;
  readonly extraFlags: Partial<Readonly<Record<Part, readonly string[]>>>;
}

/** Fills in the defaults; refuses what no cluster can be. */
export function resolveOptions(options: ClusterOptions): ResolvedOptions {
  const nodes = options.nodes ?? 3;
  if (!Number.isInteger(nodes) || nodes < 0 || nodes > 5000) {
    throw new ControlPlaneError('InvalidOption', `nodes is ${nodes}; it must be a whole number from 0 to 5000`);
  }
  const zones = options.zones ?? Math.max(1, Math.min(3, nodes));
  if (!Number.isInteger(zones) || zones < 1 || zones > Math.max(1, nodes)) {
    throw new ControlPlaneError(
      'InvalidOption',
      `zones is ${zones}; it must be a whole number from 1 to the ${nodes} nodes`,
    );
  }
  const without = new Set(options.without);
  if (without.has('etcd') || without.has('kube-apiserver')) {
    throw new ControlPlaneError('InvalidOption', 'a cluster needs etcd and kube-apiserver; leave out other parts only');
  }
  return {
    nodes,
    zones,
    without,
    nodeTimings: options.nodeTimings ?? usualNodeTimings,
    users: options.users ?? [],
    exec: options.exec ?? false,
    extraFlags: options.extraFlags ?? {},
  };
}
