import type { Clock } from '../../kube/clock.ts';
import type { Random } from '../../kube/random.ts';
import { name } from '../../model/ids.ts';
import type { EngineSource } from '../../operator/stateful-cluster/engine-source.ts';
import { foundationdbSource } from '../../operator/stateful-cluster/foundationdb-source.ts';
import { groupLabels } from '../../operator/stateful-cluster/marks.ts';
import type { PodHooks, PodProcess } from '../cluster/kubelet/pod-hooks.ts';
import type { FdbOptions } from '../engines/foundationdb/fdb-options.ts';
import { fdbOptions } from '../engines/foundationdb/fdb-options.ts';
import { FoundationDB } from '../engines/foundationdb/foundationdb.ts';
import type { DiskId } from '../engines/model-engine.ts';

export interface FoundationDBDatabasesOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly database?: Partial<FdbOptions>;
}

/** A model FoundationDB for every StatefulCluster, which runs in whatever pods carry the cluster's labels. */
export class FoundationDBDatabases {
  readonly #options: FoundationDBDatabasesOptions;
  readonly #databases = new Map<string, FoundationDB>();

  constructor(options: FoundationDBDatabasesOptions) {
    this.#options = options;
  }

  /** The database of a cluster, by `namespace/name`. */
  of(cluster: string): FoundationDB {
    const known = this.#databases.get(cluster);
    if (known !== undefined) return known;
    const { clock, random, database } = this.#options;
    const made = new FoundationDB(fdbOptions({ clock, random, ...database }));
    this.#databases.set(cluster, made);
    return made;
  }

  /** How the operator reaches them: the adapter that ships, over the model's own fdbcli. */
  get source(): EngineSource {
    return foundationdbSource(this.#options.clock, ({ key }, surroundings) => async (argv, { signal }) => {
      const clusterFile = surroundings.connectionString() ?? '';
      const { code, stdout, stderr } = await this.of(key).fdbcli(argv, '', { signal, clusterFile });
      return { exitCode: code, stdout, stderr };
    });
  }

  readonly hooks: Required<PodHooks> = {
    onPodStarted: (process) => {
      const { labels } = process.pod;
      const group = labels[groupLabels.processGroup];
      if (group === undefined) return;
      this.#databaseOf(process).start({
        id: name(group),
        group: name(group),
        role: name(labels[groupLabels.role] ?? ''),
        zone: name(process.node),
        address: `${process.address}:4501`,
        disk: diskOf(process.disks[0] ?? process.uid),
      });
    },
    onPodStopped: (process) => {
      const group = process.pod.labels[groupLabels.processGroup];
      if (group !== undefined) this.#databaseOf(process).stop(name(group));
    },
    onDiskLost: (disk) => {
      for (const database of this.#databases.values()) database.loseDisk(diskOf(disk));
    },
  };

  #databaseOf({ namespace, pod }: PodProcess): FoundationDB {
    return this.of(`${namespace}/${pod.labels[groupLabels.cluster] ?? ''}`);
  }
}

const diskOf = (disk: string): DiskId => name<DiskId & { readonly names: 'disk' }>(disk);
