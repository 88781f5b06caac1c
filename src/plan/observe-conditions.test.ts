import { describe, expect, test } from 'vitest';
import type { Zone } from '../model/ids.ts';
import { name } from '../model/ids.ts';
import type { ConditionType, GroupCondition, ProcessGroup } from '../model/process-group.ts';
import { conditionTypes } from '../model/process-group.ts';
import {
  at,
  givenClaim,
  givenGroup,
  givenHealth,
  givenPod,
  givenProcess,
  givenRole,
  givenShape,
  givenSnapshot,
  givenSpec,
  givenTopology,
} from '../model/testing/given.ts';
import type { EngineHealth, Topology } from '../model/topology.ts';
import { surveyOf } from '../rules/survey.ts';
import { observeConditions } from './observe-conditions.ts';
import type { Partly, World } from './testing/observing.ts';
import { marked, observing, other, since } from './testing/observing.ts';
import { says } from './testing/says.ts';

test('nothing is said of a process group that is well', () => {
  expect(observing()).toEqual([]);
});

describe('what is missing of a process group is a condition of it', () => {
  test.each<[string, Partly, ConditionType]>([
    ['no pod', { pod: null }, 'MissingPod'],
    ['no claim', { claim: null }, 'MissingPVC'],
    ['no service', { service: null }, 'MissingService'],
    ['a pod that waits for a node', { pod: givenPod('storage-1', { phase: 'Pending', node: null }) }, 'PodPending'],
    ['a pod that failed', { pod: givenPod('storage-1', { phase: 'Failed' }) }, 'PodFailing'],
    ['a pod that is not ready', { pod: givenPod('storage-1', { ready: false }) }, 'PodFailing'],
    [
      'a pod that differs from the spec',
      { pod: givenPod('storage-1', { shape: givenShape({ specHash: 'old' }) }) },
      'IncorrectPodSpec',
    ],
  ])('%s', (_, group, condition) => {
    expect(observing({ group })).toEqual([`set storage-1 ${condition} +0`]);
    expect(observing({ group: { ...group, conditions: [since(condition)] } })).toEqual([]);
    expect(observing({ group: { conditions: [since(condition)] } })).toEqual([`clear storage-1 ${condition}`]);
  });

  test.each<[string, Partly]>([
    ['a role without a claim', { claim: 'none' }],
    ['a claim that is being deleted is still there', { claim: givenClaim({ deleting: true }) }],
    ['a service', { service: 'present' }],
    ['a service that is being deleted is still there', { service: 'terminating' }],
  ])('nothing is missing: %s', (_, group) => {
    expect(observing({ group })).toEqual([]);
  });

  test.each<[string, string, readonly GroupCondition[], readonly string[]]>([
    ['asks for it to be made again', '', [], ['set storage-1 PodFailing +0', 'set storage-1 IncorrectPodSpec +0']],
    ['asked for that before', '', [since('IncorrectPodSpec', -5)], []],
    ['changes its spec', 'old', [], ['set storage-1 IncorrectPodSpec +0']],
  ])('a pod that fails has failed since now where somebody %s', (_, specHash, more, expected) => {
    const pod = givenPod('storage-1', { ready: false, shape: givenShape({ specHash }) });
    expect(observing({ group: { pod, conditions: [since('PodFailing'), ...more] } }).toSorted()).toEqual(
      expected.toSorted(),
    );
  });

  test('without a spec to compare it with it has failed since before', () => {
    const pod = givenPod('storage-1', { ready: false, shape: givenShape({ specHash: '' }) });
    const spec = givenSpec({ roles: [givenRole('storage', { count: 2, shape: null })] });
    expect(observing({ group: { pod, conditions: [since('PodFailing')] }, spec })).toEqual([]);
  });

  test('a pod that is gone is missing, and neither pending nor failing nor different any more', () => {
    const conditions = [since('PodPending'), since('PodFailing'), since('IncorrectPodSpec')];
    expect(observing({ group: { pod: null, conditions } })).toEqual([
      'clear storage-1 PodFailing',
      'set storage-1 MissingPod +0',
      'clear storage-1 PodPending',
      'clear storage-1 IncorrectPodSpec',
    ]);
  });

  test('while a pod is pending it is not known whether it would fail', () => {
    const pod = givenPod('storage-1', { phase: 'Pending', ready: false });
    const pending = since('PodPending');
    expect(observing({ group: { pod, conditions: [pending] } })).toEqual([]);
    expect(observing({ group: { pod, conditions: [pending, since('PodFailing')] } })).toEqual([]);
  });

  test('a guard has no shape to differ from', () => {
    const spec = givenSpec({ ownsPods: false, roles: [givenRole('storage', { shape: null })] });
    const pod = givenPod('storage-1', { shape: givenShape({ specHash: 'whatever' }) });
    expect(observing({ spec, group: { pod } })).toEqual([]);
  });
});

describe('a pod that has been terminating for 300 s is failing', () => {
  const terminating = (seconds: number, given: Parameters<typeof givenPod>[1] = {}) => ({
    pod: givenPod('storage-1', { deletingSince: at(-seconds), ...given }),
  });

  test.each<[string, Partly, readonly string[]]>([
    ['0 s', terminating(0), ['wake +300']],
    ['299 s', terminating(299), ['wake +1']],
    ['300 s', terminating(300), ['set storage-1 PodFailing +0']],
    ['301 s', terminating(301), ['set storage-1 PodFailing +0']],
    ['299 s and not ready', terminating(299, { ready: false }), ['set storage-1 PodFailing +0']],
    ['299 s and failing already', { ...terminating(299, { ready: false }), conditions: [since('PodFailing')] }, []],
    [
      '299 s and ready again',
      { ...terminating(299), conditions: [since('PodFailing')] },
      ['clear storage-1 PodFailing', 'wake +1'],
    ],
    [
      '299 s and pending',
      { ...terminating(299, { phase: 'Pending' }), conditions: [since('PodPending')] },
      ['wake +1'],
    ],
    [
      '300 s and pending',
      { ...terminating(300, { phase: 'Pending' }), conditions: [since('PodPending')] },
      ['set storage-1 PodFailing +0'],
    ],
    ['299 s, marked', { ...terminating(299), removal: marked }, ['wake +1']],
    ['300 s, marked and not drained', { ...terminating(300), removal: marked }, ['set storage-1 PodFailing +0']],
    [
      '300 s, marked and drained',
      { ...terminating(300), removal: marked, drainedAt: at(-5) },
      ['set storage-1 ResourcesTerminating +0'],
    ],
  ])('for %s', (_, group, expected) => {
    expect(observing({ group })).toEqual(expected);
  });
});

describe('processes are missing when fewer respond than the pod runs', () => {
  const two = givenPod('storage-1', { shape: givenShape({ processesPerPod: 2 }) });
  const listed = (...responds: readonly (boolean | 'unknown')[]) =>
    givenTopology({
      processes: [
        other,
        ...responds.map((one, index) =>
          givenProcess(`storage-1-${index}`, {
            group: 'storage-1',
            role: 'storage',
            zone: 'zone-1',
            addresses: ['10.0.0.1'],
            responds: one,
          }),
        ),
      ],
    });
  const missing = 'set storage-1 MissingProcesses +0';

  test.each<[string, Partly, Topology, readonly string[]]>([
    ['one of one responds', {}, listed(true), []],
    ['none of one is listed', {}, listed(), [missing]],
    ['the one does not respond', {}, listed(false), [missing]],
    ['nobody knows whether the one responds', {}, listed('unknown'), []],
    ['two of two respond', { pod: two }, listed(true, true), []],
    ['one of two responds', { pod: two }, listed(true, false), [missing]],
    ['one of two is listed', { pod: two }, listed(true), [missing]],
    ['one of two responds, nobody knows of the other', { pod: two }, listed(true, 'unknown'), []],
    ['nobody knows of one of two, the other is silent', { pod: two }, listed(false, 'unknown'), [missing]],
    ['three of two respond', { pod: two }, listed(true, true, true), []],
    ['the engine lists no process at all', {}, givenTopology(), []],
  ])('%s', (_, group, topology, expected) => {
    expect(observing({ group, topology })).toEqual(expected);
  });

  test.each<[string, Topology]>([
    ['the engine lists no process at all', givenTopology()],
    ['nobody knows whether it responds', listed('unknown')],
  ])('what was missing stays so while %s', (_, topology) => {
    expect(observing({ group: { conditions: [since('MissingProcesses')] }, topology })).toEqual([]);
  });

  test('the clock stops when all respond again', () => {
    expect(observing({ group: { conditions: [since('MissingProcesses')] } })).toEqual([
      'clear storage-1 MissingProcesses',
    ]);
  });

  test('without a pod the spec says how many there should be', () => {
    const spec = givenSpec({ roles: [givenRole('storage', { shape: givenShape({ processesPerPod: 2 }) })] });
    const group = { pod: null, conditions: [since('MissingPod')] };
    expect(observing({ spec, group })).toEqual([missing]);
  });
});

describe('a process that is excluded although it is not to leave is marked as such', () => {
  const excluded = 'set storage-1 ProcessIsMarkedAsExcluded +0';
  const condition = since('ProcessIsMarkedAsExcluded');

  test.each<[string, World, readonly string[]]>([
    ['excluded', { process: { excluded: true } }, [excluded]],
    ['excluded before', { process: { excluded: true }, group: { conditions: [condition] } }, []],
    ['not excluded any more', { group: { conditions: [condition] } }, ['clear storage-1 ProcessIsMarkedAsExcluded']],
    ['nobody knows', { process: { excluded: 'unknown' } }, []],
    ['nobody knows any more', { process: { excluded: 'unknown' }, group: { conditions: [condition] } }, []],
    ['excluded and marked', { process: { excluded: true }, group: { removal: marked } }, []],
    [
      'excluded before it was marked',
      { process: { excluded: true }, group: { removal: marked, conditions: [condition] } },
      ['clear storage-1 ProcessIsMarkedAsExcluded'],
    ],
    ['excluded because Drover empties it', { process: { excluded: true }, group: { evacuationAt: at(-5) } }, []],
    [
      'excluded and silent',
      { process: { excluded: true, responds: false }, group: { conditions: [since('MissingProcesses')] } },
      [],
    ],
    ['not listed any more', { process: null, group: { conditions: [since('MissingProcesses'), condition] } }, []],
  ])('%s', (_, world, expected) => {
    expect(observing(world)).toEqual(expected);
  });

  describe('of two processes', () => {
    const pod = givenPod('storage-1', { shape: givenShape({ processesPerPod: 2 }) });
    const both = (first: boolean | 'unknown', second: boolean | 'unknown') =>
      givenTopology({
        processes: [first, second].map((one, index) =>
          givenProcess(`p-${index}`, {
            group: 'storage-1',
            role: 'storage',
            zone: 'zone-1',
            addresses: ['10.0.0.1'],
            excluded: one,
          }),
        ),
      });

    test('one is enough', () => {
      expect(observing({ group: { pod }, topology: both(false, true) })).toEqual([excluded]);
    });

    test('both must be known not to be for the condition to go', () => {
      const group = { pod, conditions: [condition] };
      expect(observing({ group, topology: both(false, 'unknown') })).toEqual([]);
      expect(observing({ group, topology: both(false, false) })).toEqual(['clear storage-1 ProcessIsMarkedAsExcluded']);
    });
  });
});

describe('while the engine does not answer nothing changes that it has to tell', () => {
  const topology = { unreachable: 'connection refused', since: at(-30) };
  const conditions = [since('MissingProcesses'), since('ProcessIsMarkedAsExcluded')];

  test('what was set stays', () => {
    expect(observing({ topology, group: { conditions } })).toEqual([]);
  });

  test('what Kubernetes tells is seen all the same', () => {
    expect(observing({ topology, group: { pod: null } })).toEqual(['set storage-1 MissingPod +0']);
  });
});

describe('a process group that is marked and drained keeps only ResourcesTerminating', () => {
  const drained = { removal: marked, drainedAt: at(-5) } as const;
  const all = conditionTypes.filter((type) => type !== 'ResourcesTerminating').map((type) => since(type));

  test('everything else is cleared, those of taints as well', () => {
    expect(observing({ group: { ...drained, conditions: all } })).toEqual(
      all.map(({ type }) => `clear storage-1 ${type}`),
    );
  });

  test.each<[string, Partly, boolean]>([
    ['its objects are all there', {}, false],
    ['its pod is being deleted', { pod: givenPod('storage-1', { deletingSince: at(-1) }) }, true],
    ['its pod is gone', { pod: null }, true],
    ['its claim is being deleted', { claim: givenClaim({ deleting: true }) }, true],
    ['its service is being deleted', { service: 'terminating' }, true],
    ['it has no claim', { claim: 'none' }, false],
    ['its claim is missing', { claim: null }, false],
  ])('ResourcesTerminating when %s: %s %s', (_, group, terminating) => {
    const whole = { ...drained, ...group };
    expect(observing({ group: whole })).toEqual(terminating ? ['set storage-1 ResourcesTerminating +0'] : []);
    expect(observing({ group: { ...whole, conditions: [since('ResourcesTerminating')] } })).toEqual(
      terminating ? [] : ['clear storage-1 ResourcesTerminating'],
    );
  });

  test.each<[string, Partly]>([
    ['removing', { removal: marked, removingAt: at(-5) }],
    ['going without exclusion', { removal: { ...marked, withoutExclusion: true } }],
  ])('so does one that is %s', (_, group) => {
    expect(observing({ group: { ...group, pod: null } })).toEqual(['set storage-1 ResourcesTerminating +0']);
  });

  test('one that is only marked is still looked after', () => {
    expect(observing({ group: { removal: marked, pod: null } })).toEqual(['set storage-1 MissingPod +0']);
  });

  test('one that was unmarked is looked after again', () => {
    expect(observing({ group: { pod: null, conditions: [since('ResourcesTerminating')] } })).toEqual([
      'set storage-1 MissingPod +0',
      'clear storage-1 ResourcesTerminating',
    ]);
  });
});

describe('while its zone is under maintenance the conditions of a storage group are frozen', () => {
  const away = { pod: null, claim: null } as const;
  const until = (seconds: number, zone = 'zone-1') => ({
    zone: name<Zone>(zone),
    since: at(-5),
    until: at(seconds),
  });
  const told = (maintenance: EngineHealth['maintenance']) =>
    givenTopology({
      processes: [givenProcess('storage-1'), other],
      health: givenHealth({ maintenance }),
    });
  const thawed = ['set storage-1 MissingPod +0', 'set storage-1 MissingPVC +0'];

  test.each<[string, World, readonly string[]]>([
    ['recorded, 1 s left', { maintenance: until(1), group: away }, ['wake +1']],
    ['recorded, just over', { maintenance: until(0), group: away }, thawed],
    ['recorded for another zone', { maintenance: until(1, 'zone-2'), group: away }, thawed],
    ['the engine says so', { topology: told({ zone: name('zone-1'), until: at(5) }), group: away }, ['wake +5']],
    [
      'the engine says for another zone',
      { topology: told({ zone: name('zone-2'), until: at(5) }), group: away },
      thawed,
    ],
    [
      'the engine says that it is over',
      { topology: told({ zone: name('zone-1'), until: at(0) }), group: away },
      thawed,
    ],
    ['the engine says off', { topology: told('off'), group: away }, thawed],
    ['the engine does not know', { topology: told('unknown'), group: away }, thawed],
    [
      'both say so: the later end counts',
      { maintenance: until(9), topology: told({ zone: name('zone-1'), until: at(5) }), group: away },
      ['wake +9'],
    ],
    [
      'both say so: the later end counts, the other way round',
      { maintenance: until(3), topology: told({ zone: name('zone-1'), until: at(5) }), group: away },
      ['wake +5'],
    ],
    [
      'its zone is not known',
      { maintenance: until(1), group: { ...away, zone: null } },
      ['zone storage-1 zone-1', ...thawed],
    ],
    ['recorded, and it is well', { maintenance: until(1) }, []],
    [
      'recorded, and what was set stays',
      { maintenance: until(1), group: { conditions: [since('PodFailing')] } },
      ['wake +1'],
    ],
    [
      'recorded, and its pod differs from the spec, which is why it goes',
      { maintenance: until(1), group: { pod: givenPod('storage-1', { shape: givenShape({ specHash: 'old' }) }) } },
      ['set storage-1 IncorrectPodSpec +0'],
    ],
    [
      'recorded, and its pod differs from the spec no more',
      { maintenance: until(1), group: { conditions: [since('IncorrectPodSpec')] } },
      ['wake +1'],
    ],
    [
      'a pod that will have been terminating for too long when it ends',
      { maintenance: until(1), group: { pod: givenPod('storage-1', { deletingSince: at(-299) }) } },
      ['wake +1'],
    ],
    [
      'a pod that has been terminating for too long before it ends',
      { maintenance: until(5), group: { pod: givenPod('storage-1', { deletingSince: at(-299) }) } },
      ['wake +5'],
    ],
    [
      'a pod that will not have been terminating for too long when it ends',
      { maintenance: until(1), group: { pod: givenPod('storage-1', { deletingSince: at(-298) }) } },
      ['wake +2'],
    ],
  ])('%s', (_, world, expected) => {
    expect(observing(world)).toEqual(expected);
  });

  test.each(['log', 'stateless', 'mystery'])('those of a %s group are not', (role) => {
    const group = givenGroup(`${role}-1`, { pod: null });
    const spec = givenSpec({ roles: [givenRole(role)] });
    const topology = givenTopology({ processes: [givenProcess(`${role}-1`)] });
    const snapshot = givenSnapshot({ spec, processGroups: [group], topology, maintenance: until(1) });
    expect(says(observeConditions(surveyOf(snapshot)))).toEqual([`set ${role}-1 MissingPod +0`]);
  });
});

test('the order in which process groups are listed does not matter, and none keeps another from being looked at', () => {
  const groups: readonly ProcessGroup[] = [
    givenGroup('storage-2', { role: 'mystery', pod: null }),
    givenGroup('storage-1', { pod: null }),
  ];
  const topology = givenTopology({ processes: [givenProcess('storage-1'), givenProcess('storage-2')] });
  const lines = (processGroups: readonly ProcessGroup[]) =>
    says(observeConditions(surveyOf(givenSnapshot({ processGroups, topology }))));
  expect(lines(groups)).toEqual(['set storage-1 MissingPod +0', 'set storage-2 MissingPod +0']);
  expect(lines(groups.toReversed())).toEqual(lines(groups));
});
