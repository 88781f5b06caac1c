import type { PodView } from '../pod-view.ts';

/** The process of a pod on a node. It is the same process until it stops; the pod's next one has another `run`. */
export interface PodProcess {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Counts the processes of the cluster. */
  readonly run: number;
  readonly node: string;
  readonly zone: string;
  readonly address: string;
  /** Names of the volumes that it has mounted, in the order of the pod's claims. */
  readonly disks: readonly string[];
  /** The pod as it was when the process started. */
  readonly pod: PodView;
}

/**
 * `deleted`: it was told to stop and did, or was killed at the end of its grace. `ended`: it ended by itself, well or not. `crashed`: it will
 * be started again. `node-lost`: the machine went down under it. `disk-taken`: its disk was attached elsewhere.
 */
export type WhyStopped = 'deleted' | 'ended' | 'crashed' | 'node-lost' | 'disk-taken';

/** `failed`: the data is gone, the disk works again and is empty. `deleted`: the disk was given back, with its claim. */
export type WhyDiskLost = 'failed' | 'deleted';

/**
 * Where engines hear what becomes of the processes and disks of the cluster. Called at the very moment, inside the cluster's own turn: return
 * at once, and do not call the cluster back from inside. No process starts while another one has one of its disks.
 */
export interface PodHooks {
  onPodStarted?(process: PodProcess): void;
  onPodStopped?(process: PodProcess, why: WhyStopped): void;
  onDiskLost?(disk: string, why: WhyDiskLost): void;
}
