import { describe, expect, test } from 'vitest';
import type { PodToEvict } from '../model/drain.ts';
import { name } from '../model/ids.ts';
import { mostInFlight, mostOfOneBudget, nextInLine, spreadOverWorkloads } from './eviction-line.ts';

const toEvict = (text: string, budgets: readonly string[] = []): PodToEvict => ({
  name: text,
  budgets,
  node: name('n1'),
  precondition: { uid: name(`uid-${text}`) },
});
const many = (count: number, budgets: readonly string[] = []) =>
  Array.from({ length: count }, (_, index) => toEvict(`p${index}`, budgets));

test('of each workload one, then of each a second', () => {
  const of = (text: string, workload: string | null) => ({ ...toEvict(text), workload });
  const pods = [
    of('a1', 'a'),
    of('a2', 'a'),
    of('a3', 'a'),
    of('b1', 'b'),
    of('x', null),
    of('y', null),
    of('b2', 'b'),
  ];
  expect(spreadOverWorkloads(pods).map((pod) => pod.name)).toEqual(['a1', 'b1', 'x', 'y', 'a2', 'b2', 'a3']);
});

describe('how many are on their way at once', () => {
  const goOn = (line: readonly PodToEvict[], allowed: number) => {
    const inFlight: PodToEvict[] = [];
    const left = [...line];
    for (;;) {
      const next = nextInLine(left, inFlight, () => allowed);
      if (next === undefined) return inFlight.length;
      inFlight.push(next);
      left.splice(left.indexOf(next), 1);
    }
  };

  test.each`
    line                                        | allowed | sent
    ${many(5)}                                  | ${0}    | ${5}
    ${many(100)}                                | ${0}    | ${mostInFlight}
    ${many(100, ['a/b'])}                       | ${99}   | ${mostOfOneBudget}
    ${many(100, ['a/b'])}                       | ${3}    | ${3}
    ${many(100, ['a/b'])}                       | ${0}    | ${1}
    ${[...many(9, ['a/b']), ...many(9, ['c'])]} | ${3}    | ${6}
    ${[...many(9, ['a/b']), ...many(9)]}        | ${2}    | ${11}
    ${many(9, ['a/b', 'a/c'])}                  | ${4}    | ${4}
  `('$line.length in line, budgets allow $allowed: $sent', ({ line, allowed, sent }) => {
    expect(goOn(line, allowed)).toBe(sent);
  });
});
