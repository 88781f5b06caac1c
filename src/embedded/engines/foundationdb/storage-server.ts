import type { MonotonicMillis } from '../../../kube/clock.ts';
import type { UnitId } from '../../../model/ids.ts';
import type { EngineProcess } from '../model-engine.ts';

/** A storage server is what lies on a disk: it has the same id wherever the disk is mounted. */
export interface StorageServer {
  readonly id: string;
  /** The process that runs it, or ran it last. */
  process: EngineProcess;
  /** Its disk is gone. The database sees a silent server. */
  destroyed: boolean;
  /** Since when it cannot be heard; null while it can. */
  silentSince: MonotonicMillis | null;
  /** How many seconds of writes it had missed when it was last heard again, and when that was. */
  missed: { readonly seconds: number; readonly at: MonotonicMillis } | null;
}

/** A range of keys, with its team of storage servers. */
export interface KeyRange {
  readonly id: UnitId;
  readonly bytes: number;
  team: readonly StorageServer[];
  incoming: readonly Move[];
}

/** A copy in the making, and whose place it will take; null: one more is needed. */
export interface Move {
  readonly to: StorageServer;
  readonly instead: StorageServer | null;
  readonly key: string;
}

export const transferOf = ({ id }: KeyRange, to: StorageServer): string => `${id} to ${to.id}`;
