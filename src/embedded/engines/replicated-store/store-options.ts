import type { Clock, Millis } from '../../../kube/clock.ts';
import { seconds } from '../../../kube/clock.ts';
import type { Random } from '../../../kube/random.ts';
import type { RoleName } from '../../../model/ids.ts';
import { name } from '../../../model/ids.ts';

export interface StoreOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Processes of this role hold shards. */
  readonly dataRole: RoleName;
  /** Processes of this role are members of the quorum log. It may be the same role. */
  readonly quorumRole: RoleName;
  /** How many members the quorum log is to have. */
  readonly quorumSize: number;
  readonly replicationFactor: number;
  /** A write needs so many copies in sync. */
  readonly writeConcern: number;
  /** How fast one process sends and receives, all transfers together. */
  readonly bytesPerSecond: number;
  /** What is written to each shard, all the time: so much does a stopped copy fall behind. */
  readonly writtenBytesPerSecond: number;
  /** How long the store says of a process that fell silent that all is well with it. */
  readonly noticeDelay: Millis;
  /** How long a silent process is waited for before its copies are made anew elsewhere. */
  readonly rebuildDelay: Millis;
  /** Between the loss of a leader and the next one; drawn by chance. */
  readonly election: { readonly least: Millis; readonly most: Millis };
  /** How long a member of the quorum log needs to become level again. */
  readonly logCatchUp: Millis;
  /** How long the remains of a copy that is not wanted any more lie about. */
  readonly leftoverDelay: Millis;
  /** The share of evacuations and hand-offs that fail. */
  readonly jobFailures: number;
}

const mebibyte = 1024 * 1024;

/** A store of three copies that rebuilds after ten minutes and whose jobs do not fail. */
export const storeOptions = (given: Pick<StoreOptions, 'clock' | 'random'> & Partial<StoreOptions>): StoreOptions => ({
  dataRole: name('dbserver'),
  quorumRole: name('agent'),
  quorumSize: 3,
  replicationFactor: 3,
  writeConcern: 1,
  bytesPerSecond: 50 * mebibyte,
  writtenBytesPerSecond: mebibyte,
  noticeDelay: seconds(0),
  rebuildDelay: seconds(600),
  election: { least: seconds(2), most: seconds(8) },
  logCatchUp: seconds(3),
  leftoverDelay: seconds(300),
  jobFailures: 0,
  ...given,
});
