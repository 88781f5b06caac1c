import { describe, expect, test } from 'vitest';
import { unknown } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Snapshot } from '../model/snapshot.ts';
import {
  at,
  givenClaim,
  givenGroup,
  givenHealth,
  givenPod,
  givenProcess,
  givenSnapshot,
  givenSpec,
  givenTopology,
} from '../model/testing/given.ts';
import { givenJob } from '../model/testing/given-job.ts';
import { seconds } from '../model/time.ts';
import type { EngineHealth, Process } from '../model/topology.ts';
import { surveyOf } from '../rules/survey.ts';
import { forget } from './forget.ts';
import { told, toldInWords } from './testing/told.ts';

const gone = {
  removal: { at: at(-600), cause: 'Requested', withoutExclusion: false },
  evacuationAt: at(-500),
  drainedAt: at(-400),
  removingAt: at(-300),
  pod: null,
  claim: null,
} as const;
const neverExcluded = { ...gone, evacuationAt: null, drainedAt: null } as const;

interface World {
  readonly group?: Partial<ProcessGroup>;
  readonly id?: string;
  readonly processes?: readonly Process[];
  readonly health?: Partial<EngineHealth>;
  readonly snapshot?: Partial<Snapshot>;
}

const step = ({ group = gone, id = 'storage-1', processes = [], health, snapshot }: World = {}) =>
  forget(
    surveyOf(
      givenSnapshot({
        processGroups: [givenGroup(id, group)],
        topology: givenTopology({ processes, health: givenHealth(health) }),
        ...snapshot,
      }),
    ),
  );
const said = (given: World = {}) => told(step(given));

const tells = ['forget storage-1 [] [10.0.0.1] (IncludedAgain)'];
const dropped = ['record gone storage-1'];
const done = (since: number) => ({
  jobs: [givenJob('storage-1', { verb: 'Forget', state: 'Done', since: at(since) })],
});

describe('what was excluded is included again, and then its row is dropped', () => {
  test('the engine is told by every address that it was known by', () => {
    expect(said()).toEqual(tells);
    expect(
      said({ processes: [givenProcess('storage-1b', { group: 'storage-1' }), givenProcess('storage-1')] }),
    ).toEqual(['forget storage-1 [storage-1 storage-1b] [10.0.0.1] (IncludedAgain)']);
  });

  test.each`
    state         | outcome
    ${'Recorded'} | ${tells}
    ${'Running'}  | ${tells}
    ${'Done'}     | ${dropped}
  `('its job is $state: $outcome', ({ state, outcome }) => {
    expect(said({ snapshot: { jobs: [givenJob('storage-1', { verb: 'Forget', state })] } })).toEqual(outcome);
  });

  test.each`
    since   | outcome
    ${-300} | ${dropped}
    ${-301} | ${tells}
  `('a job from before it was removed does not count: $since', ({ since, outcome }) => {
    expect(said({ snapshot: done(since) })).toEqual(outcome);
  });

  test('a job that failed is tried again at its time', () => {
    const failed = givenJob('storage-1', { verb: 'Forget', state: 'Failed', retryAt: at(1) });
    expect(said({ snapshot: { jobs: [failed] } })).toEqual([
      'forget holds storage-1: JobFailed until at 1',
      'wake at 1',
    ]);
    expect(said({ snapshot: { jobs: [{ ...failed, retryAt: at(0) }] } })).toEqual(tells);
  });

  test.each`
    recovered | outcome
    ${600}    | ${tells}
    ${599}    | ${['forget holds storage-1: RecentRecovery until at 1', 'wake at 1']}
  `('not within 600 s of a recovery: $recovered', ({ recovered, outcome }) => {
    expect(said({ health: { secondsSinceRecovery: seconds(recovered) } })).toEqual(outcome);
  });

  test('not while it is not known when the engine recovered, or whether it has', () => {
    const outcome = step({ health: { secondsSinceRecovery: unknown } });
    expect(told(outcome)).toEqual(['forget holds storage-1: FactUnknown']);
    expect(toldInWords(outcome)[0]).toContain('it is not known when the engine last recovered, or whether it has yet');
  });

  test('not while the engine does not serve', () => {
    const outcome = step({ health: { available: false } });
    expect(told(outcome)).toEqual(['forget holds storage-1: EngineUnavailable']);
    expect(toldInWords(outcome)[0]).toContain('storage-1 is gone, and the engine is not told yet');
  });

  test('not while the engine cannot be read', () => {
    expect(said({ snapshot: { topology: { unreachable: 'refused', since: at(-5) } } })).toEqual([
      'forget holds storage-1: EngineUnreachable',
    ]);
  });
});

describe('what was never excluded', () => {
  test('is dropped when the engine does not list it', () => {
    expect(said({ group: neverExcluded })).toEqual(dropped);
  });

  test('is forgotten for as long as the engine lists it', () => {
    expect(said({ group: neverExcluded, processes: [givenProcess('storage-1', { responds: false })] })).toEqual([
      'forget storage-1 [storage-1] [10.0.0.1] (IncludedAgain)',
    ]);
  });

  test('stays while the engine cannot be read', () => {
    const topology = { unreachable: 'refused', since: at(-5) };
    expect(said({ group: neverExcluded, snapshot: { topology } })).toEqual([
      'forget holds storage-1: EngineUnreachable',
    ]);
  });
});

describe('gone means that all objects are gone', () => {
  test.each`
    what                 | left
    ${'the pod'}         | ${{ pod: givenPod('storage-1', { deletingSince: at(-9) }) }}
    ${'the claim'}       | ${{ claim: givenClaim({ deleting: true }) }}
    ${'the service'}     | ${{ service: 'terminating' }}
    ${'a whole service'} | ${{ service: 'present' }}
    ${'the decision'}    | ${{ removingAt: null }}
    ${'the mark'}        | ${{ removal: null }}
  `('not with $what left', ({ left }) => {
    expect(said({ group: { ...gone, ...left }, snapshot: done(0) })).toEqual([]);
  });

  test.each`
    objects
    ${{ claim: 'none', service: 'none' }}
    ${{ claim: null, service: null }}
  `('with $objects', ({ objects }) => {
    expect(said({ group: { ...gone, ...objects }, snapshot: done(0) })).toEqual(dropped);
  });
});

describe('a successor that takes over the identity', () => {
  const spec = givenSpec({ engine: 'arangodb' });

  test('keeps the row, unmarked: its objects are made again', () => {
    const outcome = step({
      id: 'agent-1',
      group: neverExcluded,
      processes: [givenProcess('agent-1', { responds: false })],
      snapshot: { spec },
    });
    expect(told(outcome)).toEqual(['record unmarked agent-1 (MadeAgainEmpty)']);
  });

  test('is not told to an engine that cannot be read, and needs not be', () => {
    const topology = { unreachable: 'refused', since: at(-5) };
    expect(said({ id: 'agent-1', group: neverExcluded, snapshot: { spec, topology } })).toEqual([
      'record unmarked agent-1 (MadeAgainEmpty)',
    ]);
  });

  test('is included again first where it was excluded', () => {
    expect(said({ id: 'agent-1', snapshot: { spec } })).toEqual(['forget agent-1 [] [10.0.0.1] (IncludedAgain)']);
  });
});
