import { describe, expect, test } from 'vitest';
import type { NodePhase } from '../../model/drain.ts';
import type { DrainView } from './drain-view.ts';
import { holderOf } from './drain-view.ts';

const drain = (key: string, phase: NodePhase | undefined, given: Partial<DrainView> = {}): DrainView => ({
  key,
  version: '1',
  generation: 1,
  deleting: false,
  createdAt: '2026-11-15T00:00:00Z',
  completed: false,
  nodes: new Map(phase === undefined ? [] : [['n1', phase]]),
  begun: true,
  ...given,
});
const later = { createdAt: '2026-11-15T00:00:01Z' };

describe('of several drains of one node', () => {
  test.each`
    others                                              | holder     | what
    ${[]}                                               | ${null}    | ${'there is no other'}
    ${[drain('alpha', 'Pending')]}                      | ${'alpha'} | ${'of the same age the first by name goes first'}
    ${[drain('zulu', 'Pending')]}                       | ${null}    | ${'of the same age the first by name goes first'}
    ${[drain('alpha', 'Pending', later)]}               | ${null}    | ${'the older one goes first'}
    ${[drain('zulu', 'Draining', later)]}               | ${'zulu'}  | ${'what is begun stays begun'}
    ${[drain('alpha', undefined)]}                      | ${null}    | ${'one that is done with the node has it no more'}
    ${[drain('alpha', 'Pending', { completed: true })]} | ${null}    | ${'nor one that is done'}
    ${[drain('alpha', 'Draining', { deleting: true })]} | ${'alpha'} | ${'one that is being taken back still has it'}
  `('$what: $holder', ({ others, holder }) => {
    expect(holderOf('n1', 'mike', [drain('mike', 'Pending'), ...others])).toBe(holder);
  });
});
