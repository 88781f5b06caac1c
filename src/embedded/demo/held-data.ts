import type { Topology } from '../../model/topology.ts';
import type { FoundationDB } from '../engines/foundationdb/foundationdb.ts';
import type { StorageServer } from '../engines/foundationdb/storage-server.ts';
import type { ReplicatedStore } from '../engines/replicated-store/replicated-store.ts';

/** Where the data of a database is, by the model's own knowledge. */
export interface HeldData {
  /** How many copies a process group still has to give away, those that are on their way in parts. */
  unmoved(group: string): number;
  /** How far the copies that it is being given have come, in percent; null: not known. undefined: it is given none. */
  filling(group: string): number | null | undefined;
  /** Whether it leads anything. */
  leads(group: string): boolean;
}

/** Of a store whose processes have the names of their process groups. */
export function storeData(store: ReplicatedStore): HeldData {
  return {
    unmoved: (group) => unmoved(store.whole(), group),
    filling: (group) => filling(store.whole(), group),
    leads(group) {
      const { units, quorums } = store.whole();
      return (
        quorums.some(({ leader }) => leader === group) ||
        units.some(({ replicas }) => replicas.some((replica) => replica.process === group && replica.leader))
      );
    },
  };
}

function unmoved({ units }: Topology, process: string): number {
  const here = units.filter(({ replicas }) =>
    replicas.some((replica) => replica.process === process && !replica.doomed),
  );
  return here.reduce((sum, { copying }) => sum + 1 - (copying?.percent ?? 0) / 100, 0);
}

function filling({ units }: Topology, process: string): number | undefined {
  const coming = units.filter(({ replicas }) =>
    replicas.some((replica) => replica.process === process && replica.state === 'rebuilding' && !replica.doomed),
  );
  if (coming.length === 0) return undefined;
  return Math.floor(coming.reduce((sum, { copying }) => sum + (copying?.percent ?? 0), 0) / coming.length);
}

/** Of a FoundationDB, which moves ranges of keys from one storage server to the next. Who leads is its own affair. */
export function foundationdbData(database: FoundationDB): HeldData {
  const serverOf = (group: string): StorageServer | undefined =>
    database.parts().storage.servers.find(({ process, destroyed }) => process.group === group && !destroyed);
  return {
    unmoved(group) {
      const server = serverOf(group);
      return server === undefined ? 0 : database.parts().storage.rangesOn(server).length;
    },
    filling(group) {
      const server = serverOf(group);
      const isGiven = database.parts().storage.ranges.some(({ incoming }) => incoming.some(({ to }) => to === server));
      return server !== undefined && isGiven ? null : undefined;
    },
    leads: () => false,
  };
}
