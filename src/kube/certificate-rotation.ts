import type { Validity } from './certificates.ts';
import type { EpochMillis, Millis } from './clock.ts';
import { epochMillis, millis, minutes } from './clock.ts';

const day = minutes(24 * 60);

export interface RotationPolicy {
  readonly authorityLife: Millis;
  readonly leafLife: Millis;
  /** How far back a new certificate's life begins, for callers whose clocks are behind ours. */
  readonly backdate: Millis;
  /**
   * How long a new authority is known to all callers before anything is signed by it, and how long an old one is still trusted after
   * nothing is served any more that it signed. Longer than every process and every caller takes to notice a change.
   */
  readonly overlap: Millis;
}

export const defaultRotation: RotationPolicy = {
  authorityLife: millis(365 * day),
  leafLife: millis(90 * day),
  backdate: minutes(60),
  overlap: minutes(60),
};

/** All that the decision depends on besides the time. */
export interface RotationState {
  /** Everyone whom callers trust, newest first. Only of the first one we still have the key. */
  readonly authorities: readonly [Validity, ...Validity[]];
  readonly leaf: Validity & {
    /** Which of the authorities signed it; undefined when none did. */
    readonly issuer: number | undefined;
    /** Whether it carries all the names that it is asked for by. */
    readonly fits: boolean;
  };
}

export type RotationStep =
  /** Nothing to do before `until`. */
  | { readonly do: 'keep'; readonly until: EpochMillis }
  /** Nothing that works is served: a new authority, and a leaf signed by it at once. */
  | { readonly do: 'renew-both'; readonly why: string }
  /** A new authority is added to those that are trusted. What is served stays. */
  | { readonly do: 'renew-authority'; readonly why: string }
  /** A new leaf, signed by the newest authority. */
  | { readonly do: 'renew-leaf'; readonly why: string }
  /** Only these authorities are needed any more. */
  | { readonly do: 'retire'; readonly keep: readonly number[]; readonly why: string };

/** Something has to be made or written. */
export type DueRotation = Exclude<RotationStep, { readonly do: 'keep' }>;

/**
 * What to do next, so that a caller who trusts the authorities of any moment of the last `overlap` accepts what is served now. A life is
 * renewed when two thirds of it are over. Where nothing that works is served there is nothing to be careful about, and it is replaced at once.
 */
export function nextRotation(now: EpochMillis, state: RotationState | undefined, policy: RotationPolicy): RotationStep {
  if (state === undefined) return { do: 'renew-both', why: 'there is none yet' };
  const [signer] = state.authorities;
  const leafWorks = isServable(state, now);
  if (!holds(signer, now))
    return { do: leafWorks ? 'renew-authority' : 'renew-both', why: 'the authority is not valid now' };
  if (!leafWorks) return { do: 'renew-leaf', why: state.leaf.fits ? 'it is not valid now' : 'it lacks a name' };
  if (now >= dueAt(signer)) return { do: 'renew-authority', why: 'two thirds of its life are over' };

  const renewLeafAt = leafDueAt(state, policy);
  if (now >= renewLeafAt) {
    const why = state.leaf.issuer === 0 ? 'two thirds of its life are over' : 'callers know the new authority';
    return { do: 'renew-leaf', why };
  }
  const needed = [...new Set([0, state.leaf.issuer ?? 0])];
  const retireAt = needed.length < state.authorities.length ? madeAt(state.leaf, policy) + policy.overlap : Infinity;
  if (now >= retireAt) return { do: 'retire', keep: needed, why: 'nothing is served any more that the others signed' };
  return { do: 'keep', until: epochMillis(Math.min(dueAt(signer), renewLeafAt, retireAt)) };
}

/** The life that begins now. No leaf outlives its authority. */
export function lifeFrom(now: EpochMillis, life: Millis, policy: RotationPolicy, within?: Validity): Validity {
  return {
    notBefore: epochMillis(now - policy.backdate),
    notAfter: epochMillis(Math.min(now + life, within?.notAfter ?? Infinity)),
  };
}

function isServable({ leaf, authorities }: RotationState, now: EpochMillis): boolean {
  const issuer = leaf.issuer === undefined ? undefined : authorities[leaf.issuer];
  return leaf.fits && holds(leaf, now) && issuer !== undefined && holds(issuer, now);
}

/** A leaf of an older authority is due as soon as callers had time to hear of the newest. */
function leafDueAt({ leaf, authorities }: RotationState, policy: RotationPolicy): number {
  const knownAt = madeAt(authorities[0], policy) + policy.overlap;
  return leaf.issuer === 0 ? Math.max(dueAt(leaf), knownAt) : knownAt;
}

function holds({ notBefore, notAfter }: Validity, now: EpochMillis): boolean {
  return now >= notBefore && now < notAfter;
}

function dueAt({ notBefore, notAfter }: Validity): number {
  return notBefore + ((notAfter - notBefore) * 2) / 3;
}

function madeAt({ notBefore }: Validity, policy: RotationPolicy): number {
  return notBefore + policy.backdate;
}
