import type { KubeClient } from './client.ts';
import type { Clock, Millis, MonotonicMillis } from './clock.ts';
import { elapsed, millis, sleep } from './clock.ts';
import { isAlreadyExists, isConflict, isNotFound } from './errors.ts';
import { endsInTime } from './grace.ts';
import { harmlessly } from './harmlessly.ts';
import type { LeaderGate } from './leader-gate.ts';
import { NotLeading } from './leader-gate.ts';
import { holdLeaderLabel } from './leader-label.ts';
import type { LeaderLeaseOptions, LeaseDoing, LeaseTimes } from './leader-lease-options.ts';
import { acquireJitter, leaseTimes } from './leader-lease-options.ts';
import { LeaseSight } from './lease-sight.ts';
import { toMicroTime } from './micro-time.ts';
import type { Lease, LeaseSpec } from './resources.ts';
import { leases } from './resources.ts';

/** How it ended. */
export interface TermEnd {
  /** `stopped`: the signal was aborted. `lost`: the lease could not be renewed in time, or somebody else has it. `ended`: the work was over. */
  readonly reason: 'stopped' | 'lost' | 'ended';
  /** False when the work has not ended although it was told to and the grace has passed: it may still run, so end the process. */
  readonly finished: boolean;
}

/**
 * One of several processes leads: the one that holds a lease of `coordination.k8s.io/v1`.
 *
 * `isLeader()` is true only while less than `renewDeadline` has passed, by the monotonic clock, since the request of the last successful
 * renewal was *sent*. It needs no timer, so a stalled event loop or a hanging request closes it in time; and once closed it stays closed
 * for this term. Others take over no earlier than `leaseDuration` after they *saw* the last change of the lease, by their own monotonic
 * clock. A change is sent before it is seen and `renewDeadline` is less than `leaseDuration`, so no two processes lead at one instant, as
 * long as
 *   - monotonic clocks run at the same rate (15 s and 10 s bear a third of difference), also through a suspended machine, and
 *   - nobody clears or deletes the lease by hand while its holder lives. Who has seen the holder waits even then, a newcomer cannot know.
 * What was sent before the gate closed may still arrive later; `fencedTransport` says what to do about that.
 *
 * No method throws on account of the API server: whatever it answers is reported to `onTrouble`, and tried again.
 */
export class LeaderLease implements LeaderGate {
  readonly #options: LeaderLeaseOptions;
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #times: LeaseTimes;
  readonly #sight: LeaseSight;
  /** The lease as the server last showed it to us. */
  #lease: Lease | undefined;
  /** When the request of the last successful renewal of this term was sent. */
  #renewed: MonotonicMillis | undefined;
  #writes = 0;

  /** Throws `ConfigurationError` for times that do not go together. */
  constructor(options: LeaderLeaseOptions) {
    this.#options = options;
    this.#client = options.client;
    this.#clock = options.clock;
    this.#times = leaseTimes(options);
    this.#sight = new LeaseSight(options.clock, this.#times.leaseDuration);
  }

  isLeader(): boolean {
    return this.#renewed !== undefined && elapsed(this.#clock, this.#renewed) < this.#times.renewDeadline;
  }

  /**
   * Waits until this process leads, then runs `lead`, once. Its signal is aborted when the lease is lost or when `signal` is aborted. On a
   * stop the lease is kept until `lead` has ended or `grace` is over, so that it can finish what it has begun, and is then given back, but
   * only if `lead` has ended. On a loss the gate is closed before the signal is aborted.
   *
   * Resolves when the term is over. Rejects only with what `lead` threw (other than its signal's reason), after giving the lease back. Not to be called twice at a time.
   */
  async run(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<TermEnd> {
    if (!(await this.#acquire(signal))) return { reason: 'stopped', finished: true };
    this.#tell(({ onLeading }) => onLeading?.(true));

    const term = new AbortController();
    const renewals = new AbortController();
    const onStop = () => term.abort(signal.reason);
    if (signal.aborted) onStop();
    else signal.addEventListener('abort', onStop, { once: true });
    let lost = false;
    const renewing = this.#renewUntilLost(renewals.signal).then((loss) => {
      lost = loss !== undefined;
      if (lost) term.abort(loss);
    });
    const labelling = this.#holdLabel(term.signal);
    const work = term.signal.aborted ? Promise.resolve() : Promise.resolve(term.signal).then(lead);

    const finished = await endsInTime(work, term.signal, this.#times.grace, this.#clock);
    signal.removeEventListener('abort', onStop);
    term.abort(new NotLeading('the work of the leader has ended'));
    await labelling;
    renewals.abort();
    await renewing;
    await this.#leave(finished && !lost);
    if (finished) await work.catch((error: unknown) => rethrowUnless(error, term.signal));
    return { reason: lost ? 'lost' : signal.aborted ? 'stopped' : 'ended', finished };
  }

  /** True when the lease is ours, false when the signal was aborted first. */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    const { retryPeriod, renewDeadline } = this.#times;
    const limit = millis(renewDeadline / 2);
    while (!signal.aborted) {
      this.#renewed = undefined;
      try {
        await this.#read(limit, signal);
        if (this.#sight.mayBeTakenBy(this.#options.identity)) await this.#write(limit);
        if (this.isLeader()) return true;
      } catch (error) {
        // Somebody was faster: no trouble, the next look shows who.
        if (!signal.aborted && !this.#isOvertaken(error)) this.#trouble('acquire', error);
      }
      await this.#pause(millis(retryPeriod * (1 + acquireJitter * this.#options.random.next())), signal);
    }
    return false;
  }

  /** Why the lease is lost, once it is; undefined when the signal was aborted first. */
  async #renewUntilLost(signal: AbortSignal): Promise<NotLeading | undefined> {
    let holder = this.#options.identity;
    while (!signal.aborted && this.isLeader() && holder === this.#options.identity) {
      await this.#pause(millis(Math.min(this.#times.retryPeriod, this.#left())), signal);
      if (signal.aborted || !this.isLeader()) break;
      holder = await this.#renew();
    }
    if (this.isLeader() && holder === this.#options.identity) return undefined;
    const why = holder === this.#options.identity ? 'could not be renewed in time' : `was taken by "${holder}"`;
    this.#stepDown();
    return new NotLeading(`the lease ${this.#options.lease.namespace}/${this.#options.lease.name} ${why}`);
  }

  /** Tries once to renew, and says who holds the lease as far as we know. */
  async #renew(): Promise<string> {
    const { identity } = this.#options;
    try {
      await this.#write(this.#limit());
      return identity;
    } catch (error) {
      // An earlier renewal of ours whose answer was lost looks the same as somebody else's: look.
      if (this.#isOvertaken(error)) return this.#renewAfterLook();
      this.#trouble('renew', error);
      return identity;
    }
  }

  async #renewAfterLook(): Promise<string> {
    const { identity } = this.#options;
    try {
      const lease = await this.#read(this.#limit(), unhurried());
      const holder = lease === undefined ? identity : (lease.spec?.holderIdentity ?? '');
      if (holder === identity) await this.#write(this.#limit());
      return holder;
    } catch (error) {
      this.#trouble('renew', error);
      return identity;
    }
  }

  /** A request that hangs leaves time for a second one, and never outlasts what it is meant to renew. */
  #limit(): Millis {
    return millis(Math.min(this.#times.renewDeadline / 2, this.#left()));
  }

  /** How long we still lead without another renewal. */
  #left(): Millis {
    if (this.#renewed === undefined) return millis(0);
    return millis(Math.max(0, this.#times.renewDeadline - elapsed(this.#clock, this.#renewed)));
  }

  async #read(limit: Millis, signal: AbortSignal): Promise<Lease | undefined> {
    const lease = await this.#client.find(leases, this.#options.lease, { signal, deadline: limit });
    this.#seen(lease);
    return lease;
  }

  /** Writes the lease as ours, on condition that it is still as we saw it. */
  async #write(limit: Millis): Promise<void> {
    const sent = this.#clock.monotonic();
    const { leaseDuration } = this.#times;
    const held = this.#lease?.spec?.holderIdentity === this.#options.identity;
    const transitions = this.#lease?.spec?.leaseTransitions ?? 0;
    const now = this.#stamp();
    await this.#send(limit, {
      holderIdentity: this.#options.identity,
      leaseDurationSeconds: leaseDuration / 1000,
      acquireTime: held ? (this.#lease?.spec?.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: this.#lease === undefined || held ? transitions : transitions + 1,
    });
    // Too late for the old term is too late, even where the new time would still be good: a gate that closed stays closed.
    if (this.#renewed === undefined || this.isLeader()) this.#renewed = sent;
  }

  /** Not cut short by a stop, but by its limit: a write whose outcome we do not know cannot be given back. */
  async #send(limit: Millis, spec: LeaseSpec): Promise<void> {
    const seen = this.#lease;
    const options = { signal: unhurried(), deadline: limit, retry: 'never' } as const;
    this.#seen(
      seen === undefined
        ? await this.#client.create(leases, { metadata: this.#options.lease, spec }, options)
        : await this.#client.update(leases, { ...seen, spec: { ...seen.spec, ...spec } }, options),
    );
  }

  #seen(lease: Lease | undefined): void {
    const before = this.#sight.holder;
    this.#lease = lease;
    this.#sight.see(lease);
    const { holder } = this.#sight;
    if (holder !== before) this.#tell(({ onHolder }) => onHolder?.(holder));
  }

  /** The counter tells two renewals apart even while the wall clock stands still: a lease that looks the same is not renewed. */
  #stamp(): string {
    return toMicroTime(this.#clock.now(), this.#writes++ % 1000);
  }

  /** The gate closes first, then the lease is given back, where that is safe. */
  async #leave(release: boolean): Promise<void> {
    const held = this.isLeader();
    this.#stepDown();
    if (!held || !release) return;
    const now = this.#stamp();
    const spec = { holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
    await this.#send(millis(this.#times.renewDeadline / 2), spec).catch((error) => this.#trouble('release', error));
  }

  #stepDown(): void {
    if (this.#renewed === undefined) return;
    this.#renewed = undefined;
    this.#tell(({ onLeading }) => onLeading?.(false));
  }

  async #holdLabel(signal: AbortSignal): Promise<void> {
    const { client, clock, random, label } = this.#options;
    if (label === undefined) return;
    const onTrouble = (error: unknown) => this.#trouble('label', error);
    await holdLeaderLabel({ client, clock, random, gate: this, mark: label, onTrouble }, signal);
  }

  async #pause(delay: Millis, signal: AbortSignal): Promise<void> {
    await sleep(this.#clock, delay, signal).catch(() => {});
  }

  #trouble(doing: LeaseDoing, error: unknown): void {
    this.#tell(({ onTrouble }) => onTrouble?.(doing, error));
  }

  #tell(hook: (options: LeaderLeaseOptions) => void): void {
    harmlessly(() => hook(this.#options));
  }

  /** The lease is not as we saw it any more. (Where we made it, 404 means that the namespace is not there.) */
  #isOvertaken(error: unknown): boolean {
    return isConflict(error) || isAlreadyExists(error) || (this.#lease !== undefined && isNotFound(error));
  }
}

/** To end with the reason of its signal is to end as told. */
function rethrowUnless(error: unknown, told: AbortSignal): void {
  if (error !== told.reason) throw error;
}

const unhurried = () => new AbortController().signal;
