import { describe, expect, test } from 'vitest';
import { name } from '../../model/ids.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import {
  at,
  givenGroup,
  givenNode,
  givenPod,
  givenProcess,
  givenRole,
  givenSpec,
  givenTopology,
} from '../../model/testing/given.ts';
import { seconds } from '../../model/time.ts';
import { timestampOf } from '../status/moments.ts';
import { givenCluster, givenStatus } from '../testing/given-cluster.ts';
import { over, scene, written } from '../testing/storage-scene.ts';

const now = timestampOf(at(0));

describe('a row', () => {
  const tainted = (group: Parameters<typeof givenGroup>[1], taints: Snapshot['spec']['replacements']['taints']) =>
    scene({
      spec: givenSpec({ replacements: { ...givenSpec().replacements, enabled: false, taints } }),
      processGroups: [givenGroup('storage-1', group)],
      nodes: [givenNode('n1', { taints: [{ key: 'a', effect: 'NoExecute', timeAdded: at(-10) }] })],
    });

  test.each`
    duration       | replaceAt
    ${seconds(60)} | ${timestampOf(at(50))}
    ${'never'}     | ${null}
  `('says when a taint of $duration will be over', ({ duration, replaceAt }) => {
    const [row] = written(tainted({ pod: givenPod('p', { node: 'n1' }) }, [{ key: '*', duration }])).processGroups;
    expect(row?.taints).toEqual([{ key: 'a', since: timestampOf(at(-10)), replaceAt }]);
  });

  test('keeps the node of a pod that is gone, and names that of a clock where it is another one', () => {
    const before = givenStatus({ processGroups: written(scene()).processGroups });
    const gone = written(scene({ processGroups: [givenGroup('storage-1', { pod: null })] }), over(before));
    expect(gone.processGroups[0]?.nodeName).toBe('node-of-storage-1');
    const clock = { key: 'a', since: at(-10), node: name<never>('n0') };
    // The node of the pod is not there: what was seen of the last one stays, and stays the last one's.
    const moved = tainted({ pod: givenPod('p', { node: 'n2' }), taints: [clock] }, [
      { key: 'a', duration: seconds(60) },
    ]);
    expect(written(moved).processGroups[0]).toMatchObject({ nodeName: 'n2', taints: [{ key: 'a', node: 'n0' }] });
  });

  test.each`
    removal                                                         | progress
    ${{ at: at(-60), cause: 'Requested', withoutExclusion: false }} | ${{ percent: 60, saidAt: now, estimatedEnd: timestampOf(at(240)), moreFollows: false }}
    ${null}                                                         | ${undefined}
  `('says how far the engine is where that is waited for: removal $removal', ({ removal, progress }) => {
    const group = givenGroup('storage-1', { removal, evacuationAt: removal === null ? null : at(-50) });
    const unmeasured = { attempts: 1, retryAt: null, message: '', since: at(-50) };
    const job = {
      ...unmeasured,
      verb: 'Evacuate',
      group: group.id,
      state: 'Running',
      percent: 62,
      secondsLeft: seconds(240),
    } as const;
    const [row] = written(
      scene({
        spec: givenSpec({ roles: [givenRole('storage', { count: 1, evictionRequires: ['drained'] })] }),
        processGroups: [group],
        jobs: [job],
        topology: givenTopology({
          observedAt: at(0),
          processes: [givenProcess('storage-1', { excluded: removal !== null, drained: false })],
        }),
      }),
    ).processGroups;
    expect(row).toMatchObject({ verdict: 'wait' });
    expect(row?.progress).toEqual(progress);
  });

  test('keeps the conditions and the word for the mark that a newer Drover wrote', () => {
    const marked = givenGroup('storage-1', {
      removal: { at: at(-5), cause: 'Requested', withoutExclusion: false },
      conditions: [{ type: 'PodFailing', since: at(-9) }],
      pod: givenPod('storage-1', { ready: false }),
    });
    const [row] = written(scene({ processGroups: [marked] })).processGroups;
    const strange = { type: 'DiskFull', timestamp: now };
    const newer = { ...row, removalReason: 'Rebalanced', conditions: [strange, ...(row?.conditions ?? [])] };
    const again = written(scene({ processGroups: [marked] }), {
      cluster: givenCluster({ status: { ...givenStatus(), processGroups: [{ ...given(row), ...newer }] } }),
    });
    expect(again.processGroups[0]).toMatchObject({
      removalReason: 'Rebalanced',
      conditions: [{ type: 'PodFailing' }, strange],
    });
    const anew = { ...marked, removal: { at: at(-4), cause: 'Requested', withoutExclusion: false } } as const;
    expect(written(scene({ processGroups: [anew] }), over(again)).processGroups[0]?.removalReason).toBe('Requested');
  });
});

function given<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('there is none');
  return value;
}
