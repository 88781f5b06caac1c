import type { KubeClient } from './client.ts';
import type { Clock, Millis } from './clock.ts';
import { millis, seconds } from './clock.ts';
import { ConfigurationError } from './errors.ts';
import type { ObjectKey } from './object.ts';
import type { Random } from './random.ts';

export interface LeaderLeaseOptions {
  /**
   * How the lease is written: without a fence, since it is what opens the gate, and best with a rate limit of its own, or a busy
   * controller keeps its own lease waiting.
   */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  /** Which lease. It is made if it is not there. */
  readonly lease: { readonly namespace: string; readonly name: string };
  /** Who we are. Must be unlike that of every other process, also of our own predecessor: two with one identity would both lead. */
  readonly identity: string;
  /** How long the others wait, after the last change that they saw, before they take over. Whole seconds. @default 15 s */
  readonly leaseDuration?: Millis;
  /** How long after its last renewal the leader still leads. Shorter than `leaseDuration`. @default 10 s */
  readonly renewDeadline?: Millis;
  /** Between two tries, to renew as well as to acquire; the latter with up to 1.2 times as much on top, by chance. @default 2 s */
  readonly retryPeriod?: Millis;
  /** How long the work of the leader may go on after it was told to end. @default 20 s */
  readonly grace?: Millis;
  /** The label that marks the pod of the leader, if any should. */
  readonly label?: LeaderMark;
  /** Hears when this process begins and ceases to lead. controller-runtime: `leader_election_master_status` */
  readonly onLeading?: (leading: boolean) => void;
  /** Hears who holds the lease, whenever somebody else begins to. Empty: nobody. */
  readonly onHolder?: (holder: string) => void;
  /** Hears what went wrong; it will be tried again, except for a release, which the end of the lease makes up for. */
  readonly onTrouble?: (doing: LeaseDoing, error: unknown) => void;
}

export type LeaseDoing = 'acquire' | 'renew' | 'release' | 'label';

export interface LeaderMark {
  /** The pod in which this process runs. */
  readonly pod: ObjectKey;
  readonly key: string;
  /** @default 'true' */
  readonly value?: string;
}

export interface LeaseTimes {
  readonly leaseDuration: Millis;
  readonly renewDeadline: Millis;
  readonly retryPeriod: Millis;
  readonly grace: Millis;
}

/** How much of the retry period is added by chance at most while waiting to acquire, as in client-go. */
export const acquireJitter = 1.2;

/** The times that go with another duration of the lease, in the proportions of the defaults. */
export const leaseTimesFor = (
  leaseDuration: Millis,
): Pick<LeaseTimes, 'leaseDuration' | 'renewDeadline' | 'retryPeriod'> => ({
  leaseDuration,
  renewDeadline: millis((leaseDuration * 2) / 3),
  retryPeriod: millis((leaseDuration * 2) / 15),
});

/** Throws `ConfigurationError` for times with which two could lead, or nobody for long. */
export function leaseTimes(options: LeaderLeaseOptions): LeaseTimes {
  const { leaseDuration = seconds(15), renewDeadline = seconds(10), retryPeriod = seconds(2) } = options;
  if (!(leaseDuration >= 1000) || leaseDuration % 1000 !== 0) {
    throw new ConfigurationError(`leaseDuration must be whole seconds, at least 1, not ${leaseDuration / 1000} s`);
  }
  if (!(renewDeadline < leaseDuration)) {
    throw new ConfigurationError(
      `renewDeadline (${renewDeadline / 1000} s) must be less than leaseDuration (${leaseDuration / 1000} s), or two could lead`,
    );
  }
  if (!(retryPeriod > 0) || !(retryPeriod * acquireJitter < renewDeadline)) {
    throw new ConfigurationError(
      `retryPeriod (${retryPeriod / 1000} s) must be more than 0 and leave time for a second try before renewDeadline (${renewDeadline / 1000} s)`,
    );
  }
  return { leaseDuration, renewDeadline, retryPeriod, grace: options.grace ?? seconds(20) };
}
