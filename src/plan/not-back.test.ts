import { describe, expect, test } from 'vitest';
import type { ClusterSpec } from '../model/cluster-spec.ts';
import { name } from '../model/ids.ts';
import type { ConditionType, Pod, ProcessGroup } from '../model/process-group.ts';
import {
  at,
  givenClaim,
  givenGroup,
  givenPod,
  givenProcess,
  givenRole,
  givenShape,
  givenSnapshot,
  givenSpec,
  givenTopology,
} from '../model/testing/given.ts';
import { surveyOf } from '../rules/survey.ts';
import { recreate } from './recreate.ts';
import { told, toldInWords } from './testing/told.ts';

const old = givenShape({ specHash: 'pod-0' });
const condition = (type: ConditionType, since: number) => ({ conditions: [{ type, since: at(since) }] });
const target = givenGroup('test-9', {
  zone: name('a'),
  pod: givenPod('test-9', { shape: old }),
  // So that nobody could take the place that it has to come back to.
  claim: givenClaim({ travels: true }),
  ...condition('IncorrectPodSpec', -3600),
});
const before = (given: Partial<ProcessGroup>) => givenGroup('test-1', { zone: name('b'), ...given });
const pod = (given: Partial<Pod> = {}) => ({ pod: givenPod('test-1', { createdAt: at(-3600), ...given }) });
const noPlace = { ready: false, unschedulable: '0/9 nodes', phase: 'Pending', node: null } as const;
const removal = { at: at(-3600), cause: 'Requested', withoutExclusion: false } as const;

function step(groups: readonly ProcessGroup[], silent: boolean, spec: Partial<ClusterSpec> = {}) {
  const processes = ['test-9', ...(silent ? [] : ['test-1'])].map((id) => givenProcess(id));
  const roles = [givenRole('test', { count: 2 })];
  return recreate(
    surveyOf(
      givenSnapshot({
        spec: givenSpec({ roles, podUpdateStrategy: 'Delete', ...spec }),
        processGroups: groups,
        topology: givenTopology({ processes }),
      }),
    ),
  );
}

const goes = ['delete-pod test-9 uid-test-9@1 (PodOutdated)'];
const stops = ['recreate holds test-9: NotBack'];

describe('what a new spec takes down stops there', () => {
  test.each`
    before                                         | given                                                         | silent   | outcome
    ${'serves'}                                    | ${pod()}                                                      | ${false} | ${goes}
    ${'is not ready'}                              | ${pod({ ready: false })}                                      | ${false} | ${stops}
    ${'is not known to the engine'}                | ${pod()}                                                      | ${true}  | ${stops}
    ${'has no pod'}                                | ${{ pod: null }}                                              | ${true}  | ${stops}
    ${'has the pod of before, which is not ready'} | ${pod({ ready: false, shape: old, phase: 'Unknown' })}        | ${true}  | ${goes}
    ${'is not ready, and was made before'}         | ${pod({ ready: false, createdAt: at(-3611) })}                | ${false} | ${goes}
    ${'is not ready, and was made just before'}    | ${pod({ ready: false, createdAt: at(-3610) })}                | ${false} | ${stops}
    ${'has had no pod since before'}               | ${{ pod: null, ...condition('MissingPod', -3601) }}           | ${true}  | ${goes}
    ${'has had no pod since then'}                 | ${{ pod: null, ...condition('MissingPod', -3600) }}           | ${true}  | ${stops}
    ${'finds no node'}                             | ${{ ...pod(noPlace), claim: 'none' }}                         | ${true}  | ${stops}
    ${'finds no node, with data that travels'}     | ${{ ...pod(noPlace), claim: givenClaim({ travels: true }) }}  | ${true}  | ${stops}
    ${'finds its own node taken'}                  | ${{ ...pod(noPlace), claim: givenClaim({ travels: false }) }} | ${true}  | ${goes}
    ${'is leaving'}                                | ${{ ...pod({ ready: false }), removal }}                      | ${true}  | ${goes}
    ${'is new, and was never anywhere'}            | ${{ ...pod({ ready: false }), zone: null }}                   | ${true}  | ${goes}
    ${'is of the same zone'}                       | ${{ ...pod({ ready: false }), zone: name('a') }}              | ${true}  | ${goes}
  `('the one before $before', ({ given, silent, outcome }) => {
    expect(told(step([target, before(given)], silent)).filter((line) => line.includes('test-9'))).toEqual(outcome);
  });

  test.each`
    mode              | zone   | outcome
    ${'Zone'}         | ${'a'} | ${'goes'}
    ${'Zone'}         | ${'b'} | ${'NotBack'}
    ${'ProcessGroup'} | ${'a'} | ${'NotBack'}
    ${'ProcessGroup'} | ${'b'} | ${'NotBack'}
    ${'All'}          | ${'b'} | ${'goes'}
  `('deletionMode $mode, the one before is in $zone: $outcome', ({ mode, zone, outcome }) => {
    const { actions, holds } = step([target, before({ ...pod({ ready: false }), zone })], true, { deletionMode: mode });
    expect(actions).toHaveLength(outcome === 'goes' ? 1 : 0);
    expect(holds.map(({ reason }) => reason.code)).toEqual(outcome === 'goes' ? [] : [outcome]);
  });

  test.each`
    given                    | words
    ${pod({ ready: false })} | ${'test-9 keeps its old pod: that of test-1 was made again as the spec has it at 2026-11-14T23:00:00Z, and does not serve yet'}
    ${{ pod: null }}         | ${'test-9 keeps its old pod: that of test-1 went first, and is not made again yet'}
  `('$words', ({ given, words }) => {
    expect(toldInWords(step([target, before(given)], true))).toContain(words);
  });
});
