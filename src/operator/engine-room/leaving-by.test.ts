import { expect, test } from 'vitest';
import type { ProcessGroupId } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import { reasons } from '../../model/reasons.ts';
import { at, givenGrant, givenGroup, givenPod, givenSnapshot } from '../../model/testing/given.ts';
import { leavingBy } from './leaving-by.ts';

const group = name<ProcessGroupId>('log-1');
const reason = reasons.podOutdated({ group });
const pod = { uid: name('u1'), resourceVersion: '1' };
const marked = { cause: { why: 'misconfigured' }, since: at(0), withoutExclusion: false };
const log1 = { group, reason, pod };

test.each`
  what                                   | of                                                       | grants                                              | actions                                               | leaves
  ${'stays'}                             | ${{}}                                                    | ${[]}                                               | ${[]}                                                 | ${false}
  ${'is marked'}                         | ${{ removal: marked }}                                   | ${[]}                                               | ${[]}                                                 | ${true}
  ${'is emptied'}                        | ${{ evacuationAt: at(0) }}                               | ${[]}                                               | ${[]}                                                 | ${true}
  ${'has a pod that is being deleted'}   | ${{ pod: givenPod('log-1', { deletingSince: at(-5) }) }} | ${[]}                                               | ${[]}                                                 | ${true}
  ${'has no pod'}                        | ${{ pod: null }}                                         | ${[]}                                               | ${[]}                                                 | ${false}
  ${'was let go'}                        | ${{}}                                                    | ${[givenGrant('log-1')]}                            | ${[]}                                                 | ${true}
  ${'was let go, and stayed in the end'} | ${{}}                                                    | ${[givenGrant('log-1', { closedAt: at(-36_000) })]} | ${[]}                                                 | ${false}
  ${'has a pod that is deleted now'}     | ${{}}                                                    | ${[]}                                               | ${[{ ...log1, act: 'delete-pod' }]}                   | ${true}
  ${'is removed now'}                    | ${{}}                                                    | ${[]}                                               | ${[{ ...log1, act: 'delete-group' }]}                 | ${true}
  ${'is let go now'}                     | ${{}}                                                    | ${[]}                                               | ${[{ ...log1, act: 'let-go' }]}                       | ${true}
  ${'is kept from being evicted'}        | ${{}}                                                    | ${[]}                                               | ${[{ ...log1, act: 'close' }]}                        | ${false}
  ${'gets a pod'}                        | ${{ pod: null }}                                         | ${[]}                                               | ${[{ ...log1, act: 'create', what: 'pod' }]}          | ${false}
  ${'is one of another group'}           | ${{}}                                                    | ${[givenGrant('log-2')]}                            | ${[{ ...log1, act: 'let-go', group: name('log-2') }]} | ${false}
`('one that $what leaves: $leaves', ({ of, grants, actions, leaves }) => {
  const after = givenSnapshot({ processGroups: [givenGroup('log-1', of)], grants });
  expect(leavingBy({ decision: { actions }, after }).has(group)).toBe(leaves);
});
