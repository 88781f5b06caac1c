import { expect, test } from 'vitest';
import { givenGroup, givenPod, givenProcess } from '../model/testing/given.ts';
import { neverRan } from './unlisted.ts';

const pod = (given: Parameters<typeof givenPod>[1] = {}) => givenPod('storage-1', given);
const listed = [givenProcess('storage-1')];

test.each`
  situation                                 | addresses       | pod                          | processes | never
  ${'it has no pod'}                        | ${[]}           | ${null}                      | ${[]}     | ${true}
  ${'its pod has not begun'}                | ${[]}           | ${pod({ phase: 'Pending' })} | ${[]}     | ${true}
  ${'its pod crashes, and always did'}      | ${[]}           | ${pod({ crashing: true })}   | ${[]}     | ${true}
  ${'its pod runs, and has yet to report'}  | ${[]}           | ${pod()}                     | ${[]}     | ${false}
  ${'its pod ended'}                        | ${[]}           | ${pod({ phase: 'Failed' })}  | ${[]}     | ${false}
  ${'its pod is on a node that is cut off'} | ${[]}           | ${pod({ phase: 'Unknown' })} | ${[]}     | ${false}
  ${'it reported once, and has no pod now'} | ${['10.0.0.1']} | ${null}                      | ${[]}     | ${false}
  ${'it reported once, and crashes now'}    | ${['10.0.0.1']} | ${pod({ crashing: true })}   | ${[]}     | ${false}
  ${'it crashes, and the engine lists it'}  | ${[]}           | ${pod({ crashing: true })}   | ${listed} | ${false}
`('$situation: never ran $never', ({ addresses, pod: seen, processes, never }) => {
  expect(neverRan({ group: givenGroup('storage-1', { addresses, pod: seen }), processes })).toBe(never);
});
