import { describe, expect, test } from 'vitest';
import { unknown } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Snapshot } from '../model/snapshot.ts';
import {
  at,
  givenAsk,
  givenGroup,
  givenHealth,
  givenProcess,
  givenRole,
  givenSnapshot,
  givenSpec,
  givenTopology,
} from '../model/testing/given.ts';
import { seconds } from '../model/time.ts';
import { surveyOf } from '../rules/survey.ts';
import { evacuateAsked } from './evacuate-asked.ts';
import { givenJob } from './testing/given-job.ts';
import { told, toldInWords } from './testing/told.ts';

const evacuating = { evacuationAt: at(-20) };

describe('a role whose rule asks for an empty process is emptied whole', () => {
  const spec = {
    engine: 'arangodb',
    trigger: 'Eviction',
    roles: [givenRole('dbserver')],
    drainPolicy: 'always-allow',
  } as const;
  const dbserver = (
    given: Parameters<typeof givenProcess>[1] = {},
    first: Partial<ProcessGroup> = {},
    more: Partial<Snapshot> = {},
  ) =>
    told(
      evacuateAsked(
        surveyOf(
          givenSnapshot({
            spec: givenSpec(spec),
            processGroups: [givenGroup('dbserver-1', first)],
            asks: [givenAsk('dbserver-1')],
            topology: givenTopology({
              processes: [givenProcess('dbserver-1', given)],
              health: givenHealth({ zonesThatMayFail: null }),
            }),
            ...more,
          }),
        ),
      ),
    );

  test.each`
    process                              | first         | outcome
    ${{}}                                | ${{}}         | ${['record evacuating dbserver-1 (EmptiedForDrain)', 'evacuate dbserver-1 [dbserver-1] [] (EmptiedForDrain)', 'wake at 600']}
    ${{}}                                | ${evacuating} | ${['evacuate dbserver-1 [dbserver-1] [] (EmptiedForDrain)', 'wake at 600']}
    ${{ excluded: unknown }}             | ${evacuating} | ${['evacuate dbserver-1 [dbserver-1] [] (EmptiedForDrain)', 'wake at 600']}
    ${{ excluded: true }}                | ${evacuating} | ${['evacuate-asked holds dbserver-1: Draining', 'wake at 600']}
    ${{ excluded: true, drained: true }} | ${evacuating} | ${['wake at 600']}
    ${{ excluded: true, drained: true }} | ${{}}         | ${[]}
  `('$process, $first: $outcome', ({ process, first, outcome }) => {
    expect(dbserver(process, first)).toEqual(outcome);
  });

  test('every process of a pod has to be told, and to be empty', () => {
    const two = (second: Parameters<typeof givenProcess>[1]) => ({
      topology: givenTopology({
        processes: [
          givenProcess('dbserver-1', { excluded: true, drained: true }),
          givenProcess('dbserver-1b', { group: 'dbserver-1', ...second }),
        ],
      }),
    });
    expect(dbserver({}, evacuating, two({ excluded: false }))[0]).toBe(
      'evacuate dbserver-1 [dbserver-1 dbserver-1b] [] (EmptiedForDrain)',
    );
    expect(dbserver({}, evacuating, two({ excluded: true }))[0]).toBe('evacuate-asked holds dbserver-1: Draining');
    expect(dbserver({}, { ...evacuating }, { ...two({ excluded: false }), asks: [] })[0]).toBe(
      'cancel-evacuation dbserver-1 [dbserver-1 dbserver-1b] [] (EvacuationCancelled)',
    );
  });

  test('its progress is told from the job', () => {
    const survey = surveyOf(
      givenSnapshot({
        spec: givenSpec(spec),
        processGroups: [givenGroup('dbserver-1', evacuating)],
        asks: [givenAsk('dbserver-1')],
        jobs: [givenJob('dbserver-1', { percent: 30, secondsLeft: seconds(60) })],
        topology: givenTopology({ processes: [givenProcess('dbserver-1', { excluded: true })] }),
      }),
    );
    expect(toldInWords(evacuateAsked(survey))).toEqual(['dbserver-1 is being emptied, 30 %, about 60 s left']);
  });

  test('not where the spec says that its data travels', () => {
    const travelling = givenSpec({ ...spec, roles: [givenRole('dbserver', { dataTravels: 'always' })] });
    expect(dbserver({}, {}, { spec: travelling })).toEqual([]);
  });

  test('undone while the engine shows it excluded', () => {
    expect(dbserver({ excluded: true, drained: true }, evacuating, { asks: [] })).toEqual([
      'cancel-evacuation dbserver-1 [dbserver-1] [] (EvacuationCancelled)',
    ]);
    expect(dbserver({}, evacuating, { asks: [] })).toEqual([
      'record evacuation-ended dbserver-1 (EvacuationCancelled)',
    ]);
  });
});
