import { describe, expect, test } from 'vitest';
import { name } from '../../model/ids.ts';
import type { Reason } from '../../model/reason.ts';
import { reasons } from '../../model/reasons.ts';
import { at } from '../../model/testing/given.ts';
import type { GivenFound } from '../testing/found-pod.ts';
import { givenAskRow, givenFound } from '../testing/found-pod.ts';
import { reasonsFor, sayHeld } from './say-held.ts';

const reason = (code: string, message: string, evidence: Reason['evidence'] = {}): Reason => ({
  code,
  message,
  evidence,
  liftedBy: 'time',
  until: null,
});
const held = (...found: readonly [Reason, ...Reason[]]): GivenFound => ({ eviction: { kind: 'wait', reasons: found } });
const said = (given: GivenFound) => sayHeld(givenFound(given));

describe('why a pod stays', () => {
  test('is said in the order of importance: its rules first, then what is being done; each code once', () => {
    const given: GivenFound = {
      ...held(reason('A', 'a'), reason('B', 'b')),
      waits: [reason('B', 'b again'), reason('C', 'c')],
    };
    expect(reasonsFor(givenFound(given)).map(({ message }) => message)).toEqual(['a', 'b', 'c']);
    expect(said(given).message).toBe('drover: a; b; c');
  });

  test.each<[string, number | null, string]>([
    ['without how far it is', null, 'drover: storage-1 stays: it is not drained yet; storage-1 is being emptied'],
    ['with it', 41, 'drover: storage-1 stays: it is not drained yet, 41 %'],
  ])('is not said twice where it is being emptied, %s', (_, percent, message) => {
    const far = { group: 'storage-1', percent, secondsLeft: null };
    expect(said({ ...held(reasons.notDrained(far)), waits: [reasons.draining(far)] }).message).toBe(message);
  });

  test('is put together once for everyone who asks, and anew for each decision', () => {
    const first = givenFound(held(reason('A', 'a')));
    const { published } = givenFound(held(reason('B', 'b')));
    expect(sayHeld(first)).toBe(sayHeld(first));
    expect(sayHeld({ ...first, published }).message).toBe('drover: b');
  });

  test('says once who stays', () => {
    const given = held(reason('A', 'storage-1 stays: it leads'), reason('B', 'storage-1 stays: it is not drained yet'));
    expect(said(given).message).toBe('drover: storage-1 stays: it leads; it is not drained yet');
  });

  test('is said in four sentences at most', () => {
    const given = held(reason('A', 'a'), reason('B', 'b'), reason('C', 'c'), reason('D', 'd'), reason('E', 'e'));
    expect(said(given).message).toBe('drover: a; b; c; d');
  });

  test('is said in one line, whatever the engine says', () => {
    const given = held(reason('A', 'it said:\n\t"no"\u001b[31m'));
    expect(said(given).message).toBe('drover: it said: "no" [31m');
    expect(said(given).message).not.toMatch(/\p{Cc}/u);
  });

  test('is said where no reason is known', () => {
    expect(said({}).message).toBe('drover: storage-1 stays until the engine was read again');
  });

  test('is never with a time to wait, always with the code that is asked again', () => {
    expect(said({})).toEqual({
      allowed: false,
      code: 429,
      reason: 'TooManyRequests',
      message: expect.any(String),
    });
  });
});

describe('the causes of a denial', () => {
  test('are its reasons one by one, with their codes, and whole, also those that the message has no room for', () => {
    const why = ['A', 'B', 'C', 'D', 'E'].map((code) => reason(code, `storage-1 stays: ${code}\n`));
    const [first = reason('', ''), ...more] = why;
    expect(said(held(first, ...more)).causes).toEqual(
      why.map(({ code }) => ({ type: code, message: `storage-1 stays: ${code} ` })),
    );
  });

  test('are not there where no reason is known', () => {
    expect(said({})).not.toHaveProperty('causes');
  });
});

describe('that an eviction moves data, in the words that the descheduler knows', () => {
  const copies = { group: 'storage-1', copies: 2, unit: 's1', percent: null, bytes: null, secondsLeft: null };
  const moving: GivenFound = {
    ...held(reasons.holdsReplicas(copies)),
    waits: [reasons.holdsReplicas(copies)],
    waitsIn: 'evacuate-asked',
  };
  const evicted = givenAskRow('storage-1', { source: 'Eviction' });
  const toldNow = {
    act: 'evacuate',
    group: name<never>('storage-1'),
    processes: [],
    addresses: [],
    reason: reason('EmptiedForDrain', ''),
  } as const;

  test.each<[string, GivenFound, boolean]>([
    ['it is on its way', { ...moving, asks: [evicted] }, true],
    [
      'it is being emptied',
      { ...moving, waits: [reasons.draining(copies)], waitsIn: 'verify-drained', asks: [evicted] },
      true,
    ],
    ['the engine is told to in this decision', { ...moving, waits: [], actions: [toldNow], asks: [evicted] }, true],
    [
      'another one’s is',
      { ...moving, waits: [], actions: [{ ...toldNow, group: name<never>('storage-2') }], asks: [evicted] },
      false,
    ],
    ['it would have to move, and nothing moves yet', { ...moving, waitsIn: 'grants', asks: [evicted] }, false],
    ['nobody asked', moving, false],
    ['the node was cordoned for it', { ...moving, asks: [{ ...evicted, cordoned: true }] }, false],
    ['another pod was evicted', { ...moving, asks: [{ ...evicted, pod: name<never>('uid-before') }] }, false],
    [
      'a taint asked before',
      { ...moving, asks: [evicted, givenAskRow('storage-1', { source: 'Taint', since: at(-60), by: 'gone' })] },
      false,
    ],
    [
      'a taint asked after it',
      { ...moving, asks: [givenAskRow('storage-1', { source: 'Taint', since: at(60), by: 'gone' }), evicted] },
      true,
    ],
  ])('%s', (_, given, told) => {
    const { message } = said(given);
    expect(message.endsWith('; Eviction triggered evacuation of its data')).toBe(told);
    expect(message).toMatch(/^drover: storage-1 stays: 2 copies must move away first/);
  });

  test('is said after the four sentences that a message has at most', () => {
    const more = ['A', 'B', 'C', 'D'].map((code) => reason(code, code));
    const { message } = said({ ...moving, ...held(reasons.holdsReplicas(copies), ...more), asks: [evicted] });
    expect(message).toMatch(/; A; B; C; Eviction triggered evacuation of its data$/);
  });
});

describe('how far it is', () => {
  test.each<[string, Reason['evidence'], readonly string[] | undefined]>([
    ['in whole percent', { percent: 41.7 }, ['drover: storage-1 41 %']],
    ['with the time that is left', { percent: 41, secondsLeft: 90 }, ['drover: storage-1 41 %, about 90 s left']],
    ['not where it is not known', { percent: null, secondsLeft: 90 }, undefined],
    ['not where nothing moves', {}, undefined],
  ])('is told %s', (_, evidence, warnings) => {
    expect(said(held(reason('A', 'a', evidence))).warnings).toEqual(warnings);
  });

  test('is told once, of what matters most', () => {
    const given = held(reason('A', 'a', { percent: 1 }), reason('B', 'b', { percent: 2 }));
    expect(said(given).warnings).toEqual(['drover: storage-1 1 %']);
  });
});
