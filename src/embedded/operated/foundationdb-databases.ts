import type { Clock } from '../../kube/clock.ts';
import type { Random } from '../../kube/random.ts';
import type { EngineSource } from '../../operator/engine-room/engine-source.ts';
import { foundationdbSource } from '../../operator/engine-room/foundationdb-source.ts';
import { portOf } from '../../operator/stateful-cluster/manifests/fdbserver-script.ts';
import { groupLabels } from '../../operator/stateful-cluster/marks.ts';
import type { ProgramEnd } from '../api-server/exec.ts';
import type { PodHooks, PodProcess } from '../cluster/kubelet/pod-hooks.ts';
import type { FdbOptions } from '../engines/foundationdb/fdb-options.ts';
import { fdbOptions } from '../engines/foundationdb/fdb-options.ts';
import { FoundationDB } from '../engines/foundationdb/foundationdb.ts';
import type { DiskId, EngineProcess } from '../engines/model-engine.ts';
import { diskOf, serverOfOthers, serversIn } from './servers-in-pod.ts';

export interface FoundationDBDatabasesOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** How they are; or how the one of a cluster is, by `namespace/name`. */
  readonly database?: Partial<FdbOptions> | ((cluster: string) => Partial<FdbOptions>);
  /** Hears every command line that an operator has fdbcli run, and for which cluster. */
  readonly onCommand?: (cluster: string, argv: readonly string[]) => void;
}

/**
 * A model FoundationDB for every StatefulCluster, which runs in whatever pods carry the cluster's labels, or the labels `app` and `tier` where others
 * made them.
 */
export class FoundationDBDatabases {
  readonly #options: FoundationDBDatabasesOptions;
  readonly #databases = new Map<string, FoundationDB>();
  /** Those whose fdbcli never ends by itself, by `namespace/name`. */
  readonly hanging = new Set<string>();
  /** What the servers of a volume's pod have of it. */
  readonly #disks = new Map<string, ReadonlySet<DiskId>>();

  constructor(options: FoundationDBDatabasesOptions) {
    this.#options = options;
  }

  /** The database of a cluster, by `namespace/name`. */
  of(cluster: string): FoundationDB {
    const known = this.#databases.get(cluster);
    if (known !== undefined) return known;
    const { clock, random, database } = this.#options;
    const given = typeof database === 'function' ? database(cluster) : database;
    const made = new FoundationDB(fdbOptions({ clock, random, ...given }));
    this.#databases.set(cluster, made);
    return made;
  }

  /** How an operator with this clock reaches them without a pod to run fdbcli in: the adapter that ships, over the model's own fdbcli. */
  sourceBy(clock: Clock): EngineSource {
    return foundationdbSource(clock, ({ key }, surroundings) => async (argv, { signal }) => {
      this.#options.onCommand?.(key, argv);
      const clusterFile = surroundings.connectionString() ?? '';
      const { code, stdout, stderr } = await this.of(key).fdbcli(argv, '', { signal, clusterFile });
      return { exitCode: code, stdout, stderr };
    });
  }

  /** What runs in the containers: an fdbcli that finds the database by the cluster file that is mounted there. */
  async run(
    process: PodProcess,
    [program = '', ...argv]: readonly string[],
    clusterFile: string,
    signal: AbortSignal,
  ): Promise<ProgramEnd> {
    if (program !== 'fdbcli') return { exitCode: 127, stdout: '', stderr: `${program}: not found\n` };
    // In a pod that somebody else made it is the server that keeps the file, and it is always right.
    const file = isOfOthers(process) ? {} : { clusterFile };
    const hangs = [...this.hanging].some((key) => this.#databases.get(key) === this.#databaseOf(process));
    if (hangs) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    const { code, stdout, stderr } = await this.#databaseOf(process).fdbcli(argv, '', { signal, ...file });
    return { exitCode: code, stdout, stderr };
  }

  readonly hooks: Required<PodHooks> = {
    onPodStarted: (process) => {
      const servers = fdbserversIn(process);
      this.#disks.set(process.disks[0] ?? process.uid, new Set(servers.map(({ disk }) => disk)));
      for (const server of servers) this.#databaseOf(process).start(server);
    },
    onPodStopped: (process) => {
      for (const { id } of fdbserversIn(process)) this.#databaseOf(process).stop(id);
    },
    onDiskLost: (volume) => {
      for (const disk of this.#disks.get(volume) ?? [diskOf(volume)])
        for (const database of this.#databases.values()) database.loseDisk(disk);
    },
  };

  #databaseOf({ namespace, pod }: PodProcess): FoundationDB {
    return this.of(`${namespace}/${pod.labels[groupLabels.cluster] ?? pod.labels['app'] ?? ''}`);
  }
}

const isOfOthers = ({ pod: { labels } }: PodProcess): boolean => labels['tier'] !== undefined;

/** What runs in a pod of Drover's, or the one server of a pod that somebody else made: the database knows it by a name of its own. */
const fdbserversIn = (process: PodProcess): readonly EngineProcess[] =>
  isOfOthers(process)
    ? [serverOfOthers(process, `fdb-${process.pod.name.replaceAll('-', '')}`, `${process.address}:${portOf(1)}`)]
    : serversIn(process);
