import { describe, expect, test } from 'vitest';
import type { RotationState, RotationStep } from './certificate-rotation.ts';
import { defaultRotation, lifeFrom, nextRotation } from './certificate-rotation.ts';
import type { Validity } from './certificates.ts';
import type { EpochMillis } from './clock.ts';
import { epochMillis, fromTimestamp, millis, minutes } from './clock.ts';

const hour = minutes(60);
const day = millis(24 * hour);
const start = fromTimestamp('2026-01-01T00:00:00Z') ?? epochMillis(0);
const at = (offset: number): EpochMillis => epochMillis(start + offset);
const policy = defaultRotation;

const authority = (made: number): Validity => lifeFrom(at(made), policy.authorityLife, policy);
const leaf = (made: number, issuer = 0, fits = true) => ({
  ...lifeFrom(at(made), policy.leafLife, policy),
  issuer,
  fits,
});
const fresh: RotationState = { authorities: [authority(0)], leaf: leaf(0) };

function step(now: number, state: RotationState | undefined): string {
  const next: RotationStep = nextRotation(at(now), state, policy);
  if (next.do === 'keep') return `keep ${describeOffset(next.until - start)}`;
  return next.do === 'retire' ? `retire all but ${next.keep.join(', ')}` : next.do;
}

function describeOffset(offset: number): string {
  return `until day ${Math.round((offset / day) * 100) / 100}`;
}

// Lives are an hour longer than their length, because they begin an hour before they are made.
const leafDue = ((90 * 24 + 1) * hour * 2) / 3 - hour;
const authorityDue = ((365 * 24 + 1) * hour * 2) / 3 - hour;

describe('what is renewed, and when', () => {
  test.each<[string, number, RotationState | undefined, string]>([
    ['nothing there', 0, undefined, 'renew-both'],
    ['just made', 0, fresh, 'keep until day 59.99'],
    ['made by a clock an hour ahead of ours', -3_600_000, fresh, 'keep until day 59.99'],
    ['made by a clock more than an hour ahead', -3_600_001, fresh, 'renew-both'],

    ['leaf: just before two thirds', leafDue - 1, fresh, 'keep until day 59.99'],
    ['leaf: at two thirds', leafDue, fresh, 'renew-leaf'],
    ['leaf: just before its end', 90 * day - 1, fresh, 'renew-leaf'],
    ['leaf: at its end', 90 * day, fresh, 'renew-leaf'],
    ['leaf: lacks a name', 0, { ...fresh, leaf: leaf(0, 0, false) }, 'renew-leaf'],
    ['leaf: signed by nobody we know', 0, { ...fresh, leaf: { ...leaf(0), issuer: undefined } }, 'renew-leaf'],
    ['leaf: valid only later', day, { ...fresh, leaf: leaf(3 * day) }, 'renew-leaf'],

    [
      'authority: just before two thirds',
      authorityDue - 1,
      { ...fresh, leaf: leaf(200 * day) },
      'keep until day 243.32',
    ],
    ['authority: at two thirds', authorityDue, { ...fresh, leaf: leaf(200 * day) }, 'renew-authority'],
    ['authority: its end, and the leaf with it', 365 * day, { ...fresh, leaf: leaf(300 * day) }, 'renew-both'],
    [
      'authority: valid only later, the leaf of an older one works',
      day,
      { authorities: [authority(9 * day), authority(0)], leaf: leaf(0, 1) },
      'renew-authority',
    ],
    ['authority and leaf: valid only later', -9 * day, fresh, 'renew-both'],
  ])('%s', (_, now, state, expected) => {
    expect(step(now, state)).toBe(expected);
  });
});

describe('a new authority: known first, used later, the old one forgotten last', () => {
  const made = 243.5 * day;
  const added: RotationState = { authorities: [authority(made), authority(0)], leaf: leaf(200 * day, 1) };
  const used: RotationState = { authorities: [authority(made), authority(0)], leaf: leaf(made + hour, 0) };

  test.each<[string, number, RotationState, string]>([
    ['added: the leaf stays', made, added, 'keep until day 243.54'],
    ['added: just before all callers know it', made + hour - 1, added, 'keep until day 243.54'],
    ['added: now they do', made + hour, added, 'renew-leaf'],
    [
      'added, but the leaf has expired meanwhile: nothing to lose',
      made + 1,
      { ...added, leaf: leaf(made - 90 * day, 1) },
      'renew-leaf',
    ],
    [
      'added, but the old authority has expired meanwhile',
      365 * day,
      { authorities: [authority(365 * day - 1), authority(0)], leaf: leaf(300 * day, 1) },
      'renew-leaf',
    ],
    ['used: the old one stays for whoever still serves its leaf', made + 2 * hour - 1, used, 'keep until day 243.58'],
    ['used: nobody does any more', made + 2 * hour, used, 'retire all but 0'],
    ['retired', made + 2 * hour, { ...used, authorities: [authority(made)] }, 'keep until day 303.53'],
    [
      'one more left over while the next is added',
      made + minutes(30),
      { authorities: [authority(made), authority(0), authority(-99 * day)], leaf: leaf(200 * day, 1) },
      'retire all but 0, 1',
    ],
  ])('%s', (_, now, state, expected) => {
    expect(step(now, state)).toBe(expected);
  });
});

test('no leaf outlives its authority', () => {
  const within = authority(-300 * day);
  expect(lifeFrom(at(0), policy.leafLife, policy, within).notAfter).toBe(within.notAfter);
  expect(lifeFrom(at(0), policy.leafLife, policy, authority(0)).notAfter).toBe(at(90 * day));
});

describe('a life of three years, asked every hour', () => {
  interface Made extends Validity {
    readonly id: number;
  }
  interface World {
    readonly authorities: readonly [Made, ...Made[]];
    readonly leaf: Validity & { readonly issuer: number };
  }

  function apply(now: EpochMillis, next: RotationStep, world: World | undefined, id: number): World {
    const rest = world?.authorities ?? [];
    const signer: Made = { ...lifeFrom(now, policy.authorityLife, policy), id };
    const newLeaf = (by: Made) => ({ ...lifeFrom(now, policy.leafLife, policy, by), issuer: by.id });
    if (next.do === 'renew-both' || world === undefined)
      return { authorities: [signer, ...rest], leaf: newLeaf(signer) };
    if (next.do === 'renew-authority') return { ...world, authorities: [signer, ...rest] };
    if (next.do === 'renew-leaf') return { ...world, leaf: newLeaf(world.authorities[0]) };
    if (next.do === 'keep') return world;
    const [first, ...others] = world.authorities;
    return { ...world, authorities: [first, ...others.filter((_, index) => next.keep.includes(index + 1))] };
  }

  function stateOf(world: World): RotationState {
    const issuer = world.authorities.findIndex(({ id }) => id === world.leaf.issuer);
    return {
      authorities: world.authorities,
      leaf: { ...world.leaf, issuer: issuer < 0 ? undefined : issuer, fits: true },
    };
  }

  test('every leaf served is accepted by whoever heard of the authorities up to an hour ago, and trust stays small', () => {
    const counts = new Map<string, number>();
    let world: World | undefined;
    let hourAgo: World | undefined;
    for (let now = 0; now < 3 * 365 * day; now += hour) {
      const next = nextRotation(at(now), world && stateOf(world), policy);
      counts.set(next.do, (counts.get(next.do) ?? 0) + 1);
      world = apply(at(now), next, world, now);
      const { leaf: served, authorities } = world;
      expect(at(now) < served.notAfter).toBe(true);
      expect(authorities.length).toBeLessThanOrEqual(2);
      const before = hourAgo ?? world;
      // A caller that is an hour behind, then a server that is.
      expect(before.authorities.filter(({ id }) => id === served.issuer)).toHaveLength(1);
      expect(authorities.some(({ id }) => id === before.leaf.issuer)).toBe(true);
      hourAgo = world;
    }
    expect(Object.fromEntries(counts)).toMatchObject({ 'renew-both': 1, 'renew-authority': 4, retire: 4 });
    expect(counts.get('renew-leaf')).toBeGreaterThan(15);
  });
});
