import { describe, expect, test } from 'vitest';
import type { Evidence } from './reason.ts';
import { reason } from './reason.ts';
import { reasons } from './reasons.ts';
import { at } from './testing/given.ts';

const catalogue = Object.values(reasons).map((entry) => {
  const evidence: Evidence = entry.example;
  const { code, meaning, liftedBy } = entry;
  return { code, meaning, liftedBy, evidence, says: entry.saysExample(), hasUntil: entry.until !== undefined };
});

/** Evidence by these names is a moment at which time alone lifts the reason. */
const deadlines = ['due', 'until'];

/** Who a reason is about, as its evidence calls it. */
const subjects = ['quorum', 'group', 'subject', 'pod', 'node', 'zone', 'id'];

describe('the catalogue of reasons', () => {
  test('has every code once', () => {
    const codes = catalogue.map(({ code }) => code);
    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
  });

  test('has codes that a metric and a condition can carry', () => {
    expect(catalogue.map(({ code }) => code).filter((code) => !/^[A-Z][A-Za-z]{2,39}$/.test(code))).toEqual([]);
  });

  describe.each(catalogue)('$code', ({ says, meaning, liftedBy, evidence, hasUntil }) => {
    test('is one plain line that fits a warning', () => {
      expect(says).not.toMatch(/\p{Cc}/u);
      expect(says).toBe(says.trim());
      expect(says).not.toMatch(/ {2}|undefined|NaN|\[object/);
      expect(says.length).toBeLessThan(256);
    });

    test('ends without a full stop of its own, and its entries for the reference read alike', () => {
      const quoted = Object.values(evidence).find((value) => typeof value === 'string' && says.endsWith(value));
      if (quoted === undefined) expect(says).not.toMatch(/[.!]$/);
      expect(meaning).toMatch(/^\S.*[.]$/);
      expect(liftedBy).toMatch(/^\S.*[^.\s]$/);
    });

    test('names whom it is about', () => {
      const about = subjects.flatMap((key) => evidence[key] ?? []);
      if (Object.keys(evidence).length > 0) expect(about).not.toEqual([]);
      for (const name of about) expect(says).toContain(String(name));
    });

    test('tells until when, exactly where its evidence has a deadline', () => {
      expect(hasUntil).toBe(deadlines.some((key) => key in evidence));
    });

    test('has moments in its evidence, and no ages', () => {
      for (const key of Object.keys(evidence)) expect(key).not.toMatch(/^(age|ago|elapsed|for)/i);
    });
  });
});

describe('a reason that is made', () => {
  const tooYoung = reason('TooYoung', {
    meaning: 'Not yet.',
    says: ({ group, due }: { group: string; due: number }) => `${group} waits until ${due}`,
    liftedBy: 'time',
    until: () => at(60),
    example: { group: 'storage-4', due: 1 },
  });

  test('has its code, its sentence, its evidence, what lifts it and until when', () => {
    expect(tooYoung({ group: 'storage-1', due: 2 })).toEqual({
      code: 'TooYoung',
      message: 'storage-1 waits until 2',
      evidence: { group: 'storage-1', due: 2 },
      liftedBy: 'time',
      until: at(60),
    });
    expect(tooYoung.saysExample()).toBe('storage-4 waits until 1');
  });

  test('has no until where an event must lift it', () => {
    expect(reasons.quorumLeader(reasons.quorumLeader.example).until).toBeNull();
  });

  test('tells until when, as its evidence has it', () => {
    const { example } = reasons.waitBetweenRemovals;
    expect(reasons.waitBetweenRemovals(example).until).toBe(example.due);
  });
});
