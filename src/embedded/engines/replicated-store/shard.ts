import type { MonotonicMillis } from '../../../kube/clock.ts';
import type { ProcessId, UnitId } from '../../../model/ids.ts';
import type { DiskId } from '../model-engine.ts';

/** A piece of data, and all its copies on disks that exist or that the store still believes in. */
export interface Shard {
  readonly id: UnitId;
  readonly bytes: number;
  readonly labels: Readonly<Record<string, string>>;
  leader: DiskId | null;
  copies: readonly Copy[];
  /** Why the last search for a place for another copy found none. */
  unplaceable: string | null;
}

/** What a disk holds of a shard. */
export interface Copy {
  readonly process: ProcessId;
  readonly disk: DiskId;
  /** Everything was copied once. Until then it protects nothing. */
  complete: boolean;
  /** Since when writes go on without it; null: it has every write. */
  behindSince: MonotonicMillis | null;
  /** A remainder that will be deleted. */
  doomed: boolean;
  /** The disk is gone. The store does not know until the process comes back without it. */
  destroyed: boolean;
}

/** It has every acknowledged write, and its disk exists. */
export const isUpToDate = ({ complete, behindSince, destroyed }: Copy): boolean =>
  complete && behindSince === null && !destroyed;

/** Some disk has it whole. If none has, nothing ever will. */
export const survives = ({ copies }: Shard): boolean => copies.some(isUpToDate);

/** Names the transfer that makes or mends a copy. */
export const transferOf = ({ id }: Shard, { disk }: Copy): string => `${id} to ${disk}`;
