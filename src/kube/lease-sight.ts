import type { Clock, Millis, MonotonicMillis } from './clock.ts';
import { elapsed, seconds } from './clock.ts';
import type { Lease, LeaseSpec } from './resources.ts';

/**
 * What one candidate has seen of the lease, and since when by its own monotonic clock. The times in the lease are other machines' times:
 * they are compared for being different, never with a clock.
 */
export class LeaseSight {
  readonly #clock: Clock;
  readonly #leaseDuration: Millis;
  #spec: LeaseSpec = {};
  #since: MonotonicMillis;

  /** `leaseDuration` is for leases that name none themselves. */
  constructor(clock: Clock, leaseDuration: Millis) {
    this.#clock = clock;
    this.#leaseDuration = leaseDuration;
    this.#since = clock.monotonic();
  }

  /** Empty while nobody is known to hold it. */
  get holder(): string {
    return this.#spec.holderIdentity ?? '';
  }

  /**
   * Takes in what the server just answered. Only a change of the spec counts as a sign of life, not one of labels. A lease that is gone
   * stays as it was last seen: its holder has not heard of that yet.
   */
  see(lease: Lease | undefined): void {
    if (lease === undefined) return;
    const spec = lease.spec ?? {};
    if (sameRecord(spec, this.#spec)) return;
    this.#spec = spec;
    this.#since = this.#clock.monotonic();
  }

  /** Whether nobody else can hold the lease: free, one's own, or not renewed for as long as its holder promised to. */
  mayBeTakenBy(identity: string): boolean {
    if (this.holder === '' || this.holder === identity) return true;
    const promised = this.#spec.leaseDurationSeconds;
    const duration = promised !== undefined && promised > 0 ? seconds(promised) : this.#leaseDuration;
    return elapsed(this.#clock, this.#since) >= duration;
  }
}

function sameRecord(one: LeaseSpec, other: LeaseSpec): boolean {
  return (
    one.holderIdentity === other.holderIdentity &&
    one.renewTime === other.renewTime &&
    one.acquireTime === other.acquireTime &&
    one.leaseTransitions === other.leaseTransitions &&
    one.leaseDurationSeconds === other.leaseDurationSeconds
  );
}
