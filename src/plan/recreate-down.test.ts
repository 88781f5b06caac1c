import { describe, expect, test } from 'vitest';
import type { ClusterSpec } from '../model/cluster-spec.ts';
import { unknown } from '../model/known.ts';
import type { Pod, ProcessGroup } from '../model/process-group.ts';
import type { Snapshot } from '../model/snapshot.ts';
import {
  at,
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
import type { Process } from '../model/topology.ts';
import { surveyOf } from '../rules/survey.ts';
import { recreate } from './recreate.ts';
import { told } from './testing/told.ts';

const silent = { unreachable: 'refused', since: at(-5) };
const oldPod = (id: string, given: Partial<Pod> = {}) =>
  givenPod(id, { shape: givenShape({ specHash: 'pod-0' }), ...given });
const outdated = (id: string, pod: Partial<Pod>, given: Partial<ProcessGroup> = {}) =>
  givenGroup(id, { pod: oldPod(id, pod), ...given });

interface World {
  readonly groups: readonly ProcessGroup[];
  readonly processes?: readonly Process[];
  readonly topology?: Snapshot['topology'];
  readonly spec?: Partial<ClusterSpec>;
}

/** The engine is not well, so that nothing that runs may be deleted. */
function said({ groups, processes = [], topology, spec }: World): readonly string[] {
  const roles = [...new Set(groups.map(({ role }) => role))].map((role) => givenRole(role, { count: 9 }));
  const health = givenHealth({ fullyReplicated: false, available: false });
  return told(
    recreate(
      surveyOf(
        givenSnapshot({
          spec: givenSpec({ roles, podUpdateStrategy: 'Delete', ...spec }),
          processGroups: groups,
          topology: topology ?? givenTopology({ processes, health }),
        }),
      ),
    ),
  ).filter((line) => line.startsWith('delete-pod'));
}
const deletes = (id: string, because = 'PodOutdated') => `delete-pod ${id} uid-${id}@1 (${because})`;
const deletesOne = (isDeleted: boolean) => (isDeleted ? [deletes('storage-1')] : []);

describe('what is down already is deleted at once: there is nothing to lose', () => {
  test.each`
    phase        | responds     | deleted
    ${'Pending'} | ${undefined} | ${true}
    ${'Failed'}  | ${undefined} | ${true}
    ${'Failed'}  | ${false}     | ${true}
    ${'Failed'}  | ${unknown}   | ${false}
    ${'Failed'}  | ${true}      | ${false}
    ${'Running'} | ${false}     | ${false}
    ${'Unknown'} | ${false}     | ${false}
  `('$phase, the engine says responds: $responds: deleted $deleted', ({ phase, responds, deleted }) => {
    const processes = responds === undefined ? [] : [givenProcess('storage-1', { responds })];
    expect(said({ groups: [outdated('storage-1', { phase })], processes })).toEqual(deletesOne(deleted));
  });

  test.each`
    claim        | role           | responds     | deleted
    ${undefined} | ${'storage'}   | ${false}     | ${true}
    ${undefined} | ${'storage'}   | ${undefined} | ${true}
    ${undefined} | ${'storage'}   | ${unknown}   | ${false}
    ${undefined} | ${'storage'}   | ${true}      | ${false}
    ${'none'}    | ${'storage'}   | ${false}     | ${false}
    ${'none'}    | ${'stateless'} | ${false}     | ${true}
  `(
    'crashing, of $role with the claim $claim, the engine says responds: $responds: deleted $deleted',
    ({ claim, role, responds, deleted }) => {
      const id = `${role}-1`;
      const groups = [outdated(id, { crashing: true, ready: false }, claim && { claim })];
      const processes = responds === undefined ? [] : [givenProcess(id, { responds })];
      expect(said({ groups, processes })).toEqual(deleted ? [deletes(id)] : []);
    },
  );

  test('in any number', () => {
    const groups = ['storage-1', 'storage-2'].map((id) => outdated(id, { phase: 'Pending' }));
    expect(said({ groups })).toEqual([deletes('storage-1'), deletes('storage-2')]);
  });

  test.each`
    situation                              | pod                     | addresses       | deleted
    ${'it found no place, and ran before'} | ${{ phase: 'Pending' }} | ${['10.0.0.1']} | ${false}
    ${'it found no place, and never ran'}  | ${{ phase: 'Pending' }} | ${[]}           | ${true}
    ${'it only ever crashed'}              | ${{ crashing: true }}   | ${[]}           | ${true}
    ${'it runs, and has yet to report'}    | ${{ phase: 'Running' }} | ${[]}           | ${false}
  `(
    'while the engine cannot be read, only what never reported: $situation: $deleted',
    ({ pod, addresses, deleted }) => {
      expect(said({ groups: [outdated('storage-1', pod, { addresses })], topology: silent })).toEqual(
        deletesOne(deleted),
      );
    },
  );
});

describe('what is replaced runs as the spec has it now, where it does not run: only then it can give its data away', () => {
  const removal = { at: at(-60), cause: 'Misconfigured', withoutExclusion: false } as const;
  const ran = { addresses: ['10.0.0.1'], removal };
  const loud = { ...ran, removal: { ...removal, withoutExclusion: true } };
  const down = { phase: 'Pending', wouldChange: true } as const;
  const crashing = { crashing: true, ready: false, wouldChange: true };
  test.each`
    situation                                 | given                             | pod                                   | deleted
    ${'it found no place'}                    | ${ran}                            | ${down}                               | ${true}
    ${'it crashes'}                           | ${ran}                            | ${crashing}                           | ${true}
    ${'it waits for its turn to be replaced'} | ${{ ...ran, removal: null }}      | ${down}                               | ${true}
    ${'it runs'}                              | ${ran}                            | ${{ wouldChange: true }}              | ${false}
    ${'it would be the same again'}           | ${ran}                            | ${{ ...down, wouldChange: false }}    | ${false}
    ${'its pod is going'}                     | ${ran}                            | ${{ ...down, deletingSince: at(-1) }} | ${false}
    ${'it never ran'}                         | ${{ ...ran, addresses: [] }}      | ${down}                               | ${false}
    ${'it only ever crashed'}                 | ${{ ...ran, addresses: [] }}      | ${crashing}                           | ${false}
    ${'it is drained'}                        | ${{ ...ran, drainedAt: at(-9) }}  | ${down}                               | ${false}
    ${'it is being removed'}                  | ${{ ...ran, removingAt: at(-9) }} | ${down}                               | ${false}
    ${'it leaves without being drained'}      | ${loud}                           | ${down}                               | ${false}
  `('$situation: $deleted', ({ given, pod, deleted }) => {
    const spec = { podUpdateStrategy: 'Replace' } as const;
    expect(said({ groups: [outdated('storage-1', pod, given)], spec })).toEqual(deletesOne(deleted));
  });

  const forced = givenShape({ specHash: 'pod-0', nodeSelector: { disk: 'ssd' } });
  test.each`
    situation                                         | removal    | pod                                | topology     | deleted
    ${'waits for its turn'}                           | ${null}    | ${down}                            | ${undefined} | ${true}
    ${'waits for its turn, and the engine is silent'} | ${null}    | ${down}                            | ${silent}    | ${true}
    ${'waits for its turn, and would be the same'}    | ${null}    | ${{ ...down, wouldChange: false }} | ${undefined} | ${false}
    ${'leaves'}                                       | ${removal} | ${down}                            | ${undefined} | ${false}
  `('what never ran, and only a replacement can follow the spec, $situation: $deleted', (row) => {
    const groups = [outdated('storage-1', { ...row.pod, shape: forced }, { addresses: [], removal: row.removal })];
    expect(said({ groups, ...(row.topology !== undefined && { topology: row.topology }) })).toEqual(
      deletesOne(row.deleted),
    );
  });

  test.each`
    mode              | source       | pod                      | addresses       | deleted
    ${'All'}          | ${'Service'} | ${crashing}              | ${['10.0.0.1']} | ${true}
    ${'All'}          | ${'Pod'}     | ${crashing}              | ${['10.0.0.1']} | ${false}
    ${'All'}          | ${'Service'} | ${{ wouldChange: true }} | ${['10.0.0.1']} | ${false}
    ${'All'}          | ${'Service'} | ${crashing}              | ${[]}           | ${false}
    ${'Zone'}         | ${'Service'} | ${crashing}              | ${['10.0.0.1']} | ${false}
    ${'ProcessGroup'} | ${'Service'} | ${crashing}              | ${['10.0.0.1']} | ${false}
  `(
    'the engine is silent, deletionMode $mode, addresses of the $source, $pod, known by $addresses: $deleted',
    ({ mode, source, pod, addresses, deleted }) => {
      const shape = givenShape({ specHash: 'pod-0', publicIPSource: source });
      const groups = [outdated('storage-1', { ...pod, shape }, { ...ran, addresses })];
      const spec = { deletionMode: mode };
      expect(said({ groups, topology: silent, spec })).toEqual(deleted ? [deletes('storage-1', 'AllAtOnce')] : []);
    },
  );
});
