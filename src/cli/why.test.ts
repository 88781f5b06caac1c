import { describe, expect, test } from 'vitest';
import type { Why } from './ask-why.ts';
import { runDrover } from './testing/run-drover.ts';
import { whyText } from './why.ts';

const why = (given: Partial<Why>): Why => ({
  pod: 'db/orders-1',
  node: 'n1',
  answer: 'goes',
  reasons: [],
  budgets: [],
  ...given,
});

describe('drover why', { timeout: 60_000 }, () => {
  test.each<[Partial<Why>, string]>([
    [{}, 'db/orders-1 on n1 may go now'],
    [{ node: null }, 'db/orders-1 may go now'],
    [
      { answer: 'waits', reasons: ['storage-1 stays: it is\nnot drained yet'] },
      'db/orders-1 on n1 may not go yet\n  storage-1 stays: it is not drained yet',
    ],
    [{ answer: 'never' }, 'db/orders-1 on n1 will not go by itself: a person has to decide'],
    [{ answer: 'unguarded' }, 'db/orders-1 on n1 is not guarded: nothing of Drover holds it'],
    [{ answer: 'unanswered' }, 'db/orders-1 on n1 is locked, and Drover did not say why: is it running?'],
    [
      { answer: 'foreign-budget', budgets: ['web'] },
      'db/orders-1 on n1 is held by the disruption budget web, which is not Drover’s',
    ],
    [{ answer: 'foreign-budget' }, 'db/orders-1 on n1 is held by a disruption budget, which is not Drover’s'],
    [
      { answer: 'several-budgets', budgets: ['all', 'web'] },
      'db/orders-1 on n1 can be evicted by nobody: the disruption budgets all and web all select it, and the API server takes one at most',
    ],
    [
      { answer: 'several-budgets' },
      'db/orders-1 on n1 can be evicted by nobody: several disruption budgets select it, and the API server takes one at most',
    ],
  ])('%j in words', (given, words) => {
    expect(whyText(why(given))).toBe(words);
  });

  test.each([
    ['no pod', []],
    ['something else', ['node/n1']],
  ])('called wrongly: %s', async (_, args) => {
    expect((await runDrover(['why', ...args])).exitCode).toBe(2);
  });

  test('shows an example in its help, and its exit codes', async () => {
    const { exitCode, stdout } = await runDrover(['why', '--help']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Example:\n {2}\$ drover why pod\/orders-storage-3 -n db/m);
    expect(stdout).toContain('3 it would wait; 4 it will never go');
  });
});
