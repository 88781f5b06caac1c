import type { Clock, Millis } from '../../../kube/clock.ts';
import { seconds } from '../../../kube/clock.ts';
import type { Random } from '../../../kube/random.ts';

export interface FdbOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly version: string;
  /** The cluster file's `description:id@address,address`, if processes were given one before anybody asked. */
  readonly connectionString: string | null;
  /** How much data there is in one copy, and in how many pieces it moves. */
  readonly bytes: number;
  readonly shards: number;
  /** How fast one storage server sends and receives, all transfers together. */
  readonly bytesPerSecond: number;
  /** Until then a silent storage server counts as healthy, and full replication is claimed. Research 3.5: about 60 s. */
  readonly failureDetection: Millis;
  /** How long a recovery of the transaction system takes; drawn by chance. */
  readonly recovery: { readonly least: Millis; readonly most: Millis };
  /** How many seconds since its last recovery the database counts for each that has passed: for tests that cannot wait ten minutes. */
  readonly recoveryAgesBy: number;
  /** How long storage servers need to empty the logs of an old generation; drawn by chance. */
  readonly generationDrain: { readonly least: Millis; readonly most: Millis };
  /** Between the last byte of an excluded storage server and the end of its role. */
  readonly roleRemoval: Millis;
  /** After this, better logs than the present ones are recruited by a recovery. */
  readonly betterLogs: Millis;
  /** How many seconds of missed writes a storage server makes good in one second. */
  readonly catchUpFactor: number;
}

const mebibyte = 1024 * 1024;

/** 24 GiB that move at 100 MiB/s, with the times that the research names. */
export const fdbOptions = (given: Pick<FdbOptions, 'clock' | 'random'> & Partial<FdbOptions>): FdbOptions => ({
  version: '7.3.63',
  connectionString: null,
  bytes: 24 * 1024 * mebibyte,
  shards: 24,
  bytesPerSecond: 100 * mebibyte,
  failureDetection: seconds(60),
  recovery: { least: seconds(2), most: seconds(6) },
  recoveryAgesBy: 1,
  generationDrain: { least: seconds(20), most: seconds(40) },
  roleRemoval: seconds(5),
  betterLogs: seconds(30),
  catchUpFactor: 10,
  ...given,
});
