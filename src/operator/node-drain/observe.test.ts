import { expect, test } from 'vitest';
import { nodeDrain } from '../../api/kinds.ts';
import { nodesToRead } from './observe.ts';

const names = Array.from({ length: 60 }, (_, index) => `n${index + 1}`);
const first = (count: number) => names.slice(0, count);
const rows = (count: number, phase: string, code?: string) =>
  first(count).map((name) => ({
    name,
    phase,
    reasons: code === undefined ? [] : [{ code, message: 'm', since: '2026-11-15T00:00:00Z', until: null }],
  }));

test.each`
  what                                    | recorded                               | read
  ${'nothing is on record'}               | ${[]}                                  | ${first(21)}
  ${'five are done'}                      | ${rows(5, 'Drained')}                  | ${names.slice(5, 26)}
  ${'five are gone'}                      | ${rows(5, 'Gone', 'NodeGone')}         | ${names.slice(5, 26)}
  ${'five are begun'}                     | ${rows(5, 'Draining')}                 | ${first(26)}
  ${'all wait their turn'}                | ${rows(60, 'Pending', 'NodeWaits')}    | ${first(21)}
  ${'none was read yet'}                  | ${rows(60, 'Pending', 'NodeNotRead')}  | ${first(21)}
  ${'settings keep the first thirty'}     | ${rows(30, 'Pending')}                 | ${first(51)}
  ${'another drain has the first thirty'} | ${rows(30, 'Pending', 'AnotherDrain')} | ${first(51)}
`('$what: $read are read', ({ recorded, read }) => {
  const spec = nodeDrain.spec.parse({ nodes: names });
  expect(nodesToRead(names, { spec, status: nodeDrain.status.parse({ nodes: recorded }) })).toEqual(read);
});
