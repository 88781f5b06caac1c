import { expect, test } from 'vitest';
import type { Force } from './forced.ts';
import { forcedByIn, forcedInWords } from './forced.ts';

test.each<[Force['source'], string, string]>([
  [
    'Eviction',
    'system:serviceaccount:kube-system:cluster-autoscaler',
    'evicted by system:serviceaccount:kube-system:cluster-autoscaler',
  ],
  ['NodeDrain', 'upgrade', 'asked for by the NodeDrain upgrade'],
  ['Taint', 'karpenter.sh/disrupted', 'asked for by the taint karpenter.sh/disrupted'],
  ['Cordon', 'the cordon of n1', 'asked for by the cordon of n1'],
])('who wants a forced pod gone is not said to have forced it: %s', (source, by, asked) => {
  const sentence = forcedInWords({ why: 'the disk is dead', source, by });
  expect(sentence).toBe(`forced by the annotation drover.dev/force ("the disk is dead"), ${asked}`);
  expect(forcedByIn(sentence)).toBe('drover.dev/force');
});
