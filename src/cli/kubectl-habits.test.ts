import { expect, test } from 'vitest';
import { withKubectlHabits } from './kubectl-habits.ts';

test.each([
  ['--ignore-daemonsets n1', '--ignore-daemonsets n1'],
  ['n1 --ignore-daemonsets=true', 'n1 --ignore-daemonsets'],
  ['n1 --ignore-daemonsets=false', 'n1 --no-ignore-daemonsets'],
  ['--dry-run n1', '--dry-run n1'],
  ['n1 --dry-run=server', 'n1 --dry-run'],
  ['n1 --dry-run=client', 'n1 --dry-run'],
  ['n1 --dry-run=none', 'n1'],
  ['n1 --force=false --delete-emptydir-data=true', 'n1 --delete-emptydir-data'],
  ['n1 --dry-run=perhaps', 'n1 --dry-run=perhaps'],
  ['toString', 'toString'],
])('drover drain %s', (typed, meant) => {
  expect(withKubectlHabits(typed.split(' ')).join(' ')).toBe(meant);
});
