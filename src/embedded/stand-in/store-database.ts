import type { Engine } from '../../engines/engine.ts';
import type { Clock, Millis } from '../../kube/clock.ts';
import type { Random } from '../../kube/random.ts';
import { name } from '../../model/ids.ts';
import type { PodHooks } from '../cluster/kubelet/pod-hooks.ts';
import type { DiskId, ModelEngine } from '../engines/model-engine.ts';
import { ReplicatedStore } from '../engines/replicated-store/replicated-store.ts';
import { storeOptions } from '../engines/replicated-store/store-options.ts';
import { roleLabel } from './manifests.ts';
import { storeEngine } from './store-engine.ts';

/** A model engine, how it is reached, and how it hears of the pods that run it. */
export interface ModelDatabase {
  readonly model: ModelEngine;
  readonly engine: Engine;
  readonly hooks: Required<PodHooks>;
  /** Data comes in. Called once, when the first processes run. */
  readonly fill: () => void;
}

export interface StoreDatabaseOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly replicationFactor: number;
  /** How many members the quorum log has: as many as there are agents. @default 3 */
  readonly quorumSize?: number;
  readonly shards: number;
  /** How long the store takes to notice that a process is gone. @default at once */
  readonly noticeDelay?: Millis;
  /** The share of evacuations and hand-offs that fail. */
  readonly jobFailures: number;
}

const gibibyte = 2 ** 30;

/** A replicated store on the pods of a cluster. */
export function storeDatabase(given: StoreDatabaseOptions): ModelDatabase {
  const { clock, random, shards, ...options } = given;
  const store = new ReplicatedStore(storeOptions({ clock, random, ...options }));
  return {
    model: store,
    engine: storeEngine(store),
    hooks: hooksOf(store),
    fill() {
      for (let shard = 1; shard <= shards; shard++) store.createShard(name(`s${shard}`), gibibyte);
    },
  };
}

/** What becomes of a pod becomes of the process in it: one in each, of the same name. */
function hooksOf(model: ModelEngine): Required<PodHooks> {
  return {
    onPodStarted: ({ name: id, zone, address, disks, pod }) =>
      model.start({
        id: name(id),
        group: name(id),
        role: name(pod.labels[roleLabel] ?? ''),
        zone: name(zone),
        address,
        disk: diskOf(disks[0] ?? id),
      }),
    // Only of those that are told to stop the engine thinks for a while that all is well: what the world does by itself is known at once, so that
    // nobody can be blamed for what he could not know.
    onPodStopped: ({ name: id }, why) => model.stop(name(id), why === 'deleted' ? undefined : 'noticed'),
    onDiskLost: (disk) => model.loseDisk(diskOf(disk)),
  };
}

const diskOf = (disk: string): DiskId => name<DiskId & { readonly names: 'disk' }>(disk);
