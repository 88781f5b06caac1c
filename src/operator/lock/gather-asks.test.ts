import { describe, expect, test } from 'vitest';
import { name } from '../../model/ids.ts';
import { at, givenGroup, givenNode } from '../../model/testing/given.ts';
import type { LeavingSeen } from '../seen/leaving-node.ts';
import { askers, heard, karpenter, onNode, recorded, taint } from '../testing/given-askers.ts';
import type { AskRow } from './ask-row.ts';
import type { Askers } from './gather-asks.ts';
import { gatherAsks } from './gather-asks.ts';

/** The nodes are watched, and n1 ceased to be left then. */
const endedAt = (time: number): LeavingSeen => ({ since: at(-3600), ended: new Map([[name('n1'), at(time)]]) });
/** The nodes are watched since then. */
const watchedSince = (time: number): LeavingSeen => ({ since: at(time), ended: new Map() });

/** `storage-1 Eviction jane`, for each row. */
const asked = (given: Partial<Askers>) =>
  gatherAsks(askers(given)).map(({ group, source, by }) => `${group} ${source} ${by}`);

describe('who asks', () => {
  test.each<[string, Partial<Askers>, readonly string[]]>([
    ['nobody', {}, []],
    ['who was heard', { heard: [heard()] }, ['storage-1 Eviction jane']],
    ['not who asked for a pod that is gone', { heard: [heard({ pod: name('uid-gone') })] }, []],
    ['who is on record', { recorded: [recorded()] }, ['storage-1 Eviction jane']],
    ['who is both, once', { recorded: [recorded()], heard: [heard()] }, ['storage-1 Eviction jane']],
    [
      'two people for one pod',
      { recorded: [recorded()], heard: [heard({ by: 'joe' })] },
      ['storage-1 Eviction jane', 'storage-1 Eviction joe'],
    ],
    ['not who is on record with a pod that is gone', { recorded: [recorded({ pod: name('uid-gone') })] }, []],
    [
      'a NodeDrain, for what is on its nodes',
      { drains: [{ name: 'd', nodes: ['n2', 'n3'] }] },
      ['storage-2 NodeDrain d'],
    ],
    ['not a NodeDrain that has ended', { recorded: [recorded({ source: 'NodeDrain', by: 'd' })] }, []],
    [
      'a leaving taint, for what is on its node, once',
      { leavingTaints: [karpenter], nodes: [givenNode('n1', { taints: [taint(karpenter), taint(karpenter)] })] },
      [`storage-1 Taint ${karpenter}`],
    ],
    ['not another taint', { leavingTaints: [karpenter], nodes: [givenNode('n1', { taints: [taint('other')] })] }, []],
    [
      'not a taint that was taken away',
      { recorded: [recorded({ source: 'Taint', by: karpenter })], leavingTaints: [karpenter] },
      [],
    ],
    [
      'a taint on record while the nodes are not known',
      { recorded: [recorded({ source: 'Taint', by: karpenter })], leavingTaints: [karpenter], nodes: null },
      [`storage-1 Taint ${karpenter}`],
    ],
    [
      'nobody for a pod without a node',
      { groups: [onNode('storage-1', null)], drains: [{ name: 'd', nodes: ['n1'] }] },
      [],
    ],
    [
      'nobody for a group without a pod',
      { groups: [givenGroup('storage-1', { pod: null })], drains: [{ name: 'd', nodes: ['n1'] }] },
      [],
    ],
  ])('%s', (_, given, expected) => {
    expect(asked(given)).toEqual(expected);
  });

  test('is remembered with the node and the name of the pod, and whether the node was cordoned', () => {
    const nodes = [givenNode('n1', { cordoned: true })];
    expect(gatherAsks(askers({ heard: [heard({ times: 3 })], nodes }))).toEqual([
      recorded({ since: at(-1), lastSeen: at(0), times: 3, cordoned: true }),
    ]);
  });
});

describe('a pod that comes back to the node that it was let go from', () => {
  const drains = [{ name: 'd', nodes: ['n1'] }];
  const letGo = (given: Partial<AskRow> = {}) =>
    recorded({ pod: name('uid-gone'), source: 'NodeDrain', by: 'd', letGoAt: at(-599), ...given });
  const onceMore = 'storage-1 NodeDrain d';

  test.each<[string, AskRow, boolean]>([
    ['is not asked for again at once', letGo(), false],
    ['is after ten minutes', letGo({ letGoAt: at(-600) }), true],
    ['is by somebody else', letGo({ by: 'e' }), true],
    ['is where it came from another node', letGo({ node: name('n2') }), true],
    ['is where it was asked for in another way', letGo({ source: 'Taint' }), true],
  ])('%s', (_, row, isAsked) => {
    const rows = gatherAsks(askers({ drains, recorded: [row] }));
    const now = rows
      .filter(({ pod }) => pod === 'uid-storage-1')
      .map(({ group, source, by }) => `${group} ${source} ${by}`);
    expect(now).toEqual(isAsked ? [onceMore] : []);
  });
});

describe('a leaving taint that is taken away', () => {
  const tainted = givenNode('n1', { taints: [taint(karpenter)] });
  const marked = recorded({ cordoned: true });
  const jane = 'storage-1 Eviction jane';
  test.each<[string, Partial<Askers>, readonly string[]]>([
    ['takes back what was asked while it was there', { recorded: [marked] }, []],
    ['also where it was heard again before', { recorded: [marked], heard: [heard()], leaving: endedAt(0) }, []],
    ['not while it is there', { recorded: [marked], nodes: [tainted] }, [jane, `storage-1 Taint ${karpenter}`]],
    ['not while the node is cordoned', { recorded: [marked], nodes: [givenNode('n1', { cordoned: true })] }, [jane]],
    ['not where the node is gone', { recorded: [marked], nodes: [] }, [jane]],
  ])('%s', (_, given, expected) => {
    expect(asked({ leavingTaints: [karpenter], ...given })).toEqual(expected);
  });

  test.each`
    taints       | nodes        | isMarked
    ${karpenter} | ${[tainted]} | ${true}
    ${'other'}   | ${[tainted]} | ${false}
  `('an eviction is marked by it where it is named ($taints): $isMarked', ({ taints, nodes, isMarked }) => {
    const given = { leavingTaints: [taints], nodes };
    const marks = (rows: Partial<Askers>) =>
      gatherAsks(askers({ ...given, ...rows })).flatMap((row) => (row.source === 'Eviction' ? [row.cordoned] : []));
    expect(marks({ heard: [heard()] })).toEqual([isMarked]);
    expect(marks({ recorded: [recorded()] })).toEqual([isMarked]);
  });
});

describe('an uncordon', () => {
  const cordoned = recorded({ cordoned: true });
  test.each<[string, Partial<Askers>, readonly string[]]>([
    ['takes back what was asked while the node was cordoned', { recorded: [cordoned] }, []],
    ['also where it was heard again before', { recorded: [cordoned], heard: [heard()], leaving: endedAt(0) }, []],
    ['also where nobody saw when that was', { recorded: [cordoned], heard: [heard()], leaving: watchedSince(1) }, []],
    [
      'not what is asked after it',
      { recorded: [cordoned], heard: [heard()], leaving: endedAt(-1) },
      ['storage-1 Eviction jane'],
    ],
    ['not what was asked while it was not', { recorded: [recorded()] }, ['storage-1 Eviction jane']],
    ['not while the nodes are not known', { recorded: [cordoned], nodes: null }, ['storage-1 Eviction jane']],
    ['not where the node is gone', { recorded: [cordoned], nodes: [] }, ['storage-1 Eviction jane']],
    [
      'not what somebody else asks',
      { recorded: [cordoned], heard: [heard({ by: 'joe' })] },
      ['storage-1 Eviction joe'],
    ],
  ])('%s', (_, given, expected) => {
    expect(asked(given)).toEqual(expected);
  });
});

describe('a cordon that came and went between two looks', () => {
  const jane = ['storage-1 Eviction jane'];
  const heardAt = (time: number) => [heard({ lastSeen: at(time) })];
  const unseen = (lastSeen: number) => [recorded({ cordoned: null, lastSeen: at(lastSeen) })];

  test.each<[string, Partial<Askers>, readonly string[]]>([
    ['takes back what was heard before its end', { heard: heardAt(-2), leaving: endedAt(-1) }, []],
    ['not what was heard after it', { heard: heardAt(-1), leaving: endedAt(-2) }, jane],
    [
      'not that of another node',
      { heard: heardAt(-2), leaving: { since: at(-3600), ended: new Map([[name('n2'), at(0)]]) } },
      jane,
    ],
    [
      'not where the node is cordoned again',
      { heard: heardAt(-2), leaving: endedAt(-1), nodes: [givenNode('n1', { cordoned: true })] },
      jane,
    ],
    [
      'takes back what is on record as asked without it',
      { recorded: [recorded({ lastSeen: at(-2) })], leaving: endedAt(-1) },
      [],
    ],
    ['and nobody saw leaves half a minute to ask again', { recorded: unseen(-29), leaving: watchedSince(-20) }, jane],
    ['and nobody saw is taken to have been after that', { recorded: unseen(-30), leaving: watchedSince(-20) }, []],
    [
      'and nobody saw is, also where it was asked twice before',
      { recorded: unseen(-35), heard: heardAt(-30), leaving: watchedSince(-20) },
      [],
    ],
    [
      'and nobody saw is not where it was asked again since',
      { recorded: unseen(-35), heard: heardAt(-10), leaving: watchedSince(-20) },
      jane,
    ],
    ['is not looked for where nodes cannot be read', { recorded: unseen(-30), nodes: null, leaving: null }, jane],
    ['is not looked for where the node is gone', { recorded: unseen(-30), nodes: [] }, jane],
    [
      'is not looked for where it was seen that there was none',
      { recorded: [recorded({ lastSeen: at(-30) })], leaving: watchedSince(-20) },
      jane,
    ],
  ])('%s', (_, given, expected) => {
    expect(asked(given)).toEqual(expected);
  });

  test.each<[string, Partial<Askers>, boolean | null]>([
    ['cordoned now', { nodes: [givenNode('n1', { cordoned: true })] }, true],
    ['seen not to be', {}, false],
    ['not seen then', { leaving: watchedSince(1) }, null],
    ['not read', { nodes: null, leaving: null }, null],
    ['gone', { nodes: [] }, null],
  ])('it is remembered of who was heard whether the node was cordoned: %s', (_, given, expected) => {
    expect(gatherAsks(askers({ heard: [heard()], ...given })).map(({ cordoned }) => cordoned)).toEqual([expected]);
    const again = gatherAsks(askers({ recorded: [recorded({ cordoned: null })], heard: [heard()], ...given }));
    expect(again.map(({ cordoned }) => cordoned)).toEqual([expected]);
  });
});

describe('what is on record of an ask', () => {
  const again = (seen: number, given: Partial<Askers> = {}) =>
    gatherAsks(
      askers({
        now: at(seen),
        recorded: [recorded({ lastSeen: at(0), times: 4 })],
        heard: [heard({ lastSeen: at(seen), times: 12 })],
        ...given,
      }),
    )[0];

  test.each([
    ['before a minute is over', 59.999, { lastSeen: at(0), times: 4 }],
    ['after a minute', 60, { lastSeen: at(60), times: 16 }],
  ])('changes once a minute: %s', (_, seen, expected) => {
    expect(again(seen)).toMatchObject(expected);
  });

  test.each([
    ['before a minute is over', 5],
    ['after a minute', 60],
  ])('keeps that the node was cordoned while the nodes are not known: %s', (_, seen) => {
    const row = again(seen, { recorded: [recorded({ lastSeen: at(0), cordoned: true })], nodes: null });
    expect(row?.cordoned).toBe(true);
  });

  test('hears of a cordon that came later, or was seen later', () => {
    const nodes = [givenNode('n1', { cordoned: true })];
    expect(again(5, { nodes })?.cordoned).toBe(true);
    expect(again(5, { nodes, heard: [] })?.cordoned).toBe(true);
  });

  test.each([
    ['less than 10 min ago', 599.999, 1],
    ['10 min ago', 600, 0],
  ])('is remembered when its pod was let go and is gone: %s', (_, now, left) => {
    const gone = recorded({ pod: name('uid-gone'), letGoAt: at(0) });
    expect(gatherAsks(askers({ now: at(now), recorded: [gone] }))).toHaveLength(left);
  });

  test.each([
    ['while the core may still have to undo what was begun', 659.999, 1],
    ['not for ever', 660, 0],
  ])('stays when nobody repeats it: %s', (_, now, left) => {
    expect(gatherAsks(askers({ now: at(now), recorded: [recorded({ lastSeen: at(0) })] }))).toHaveLength(left);
  });

  test('is no more than a status holds: those whose pods have gone give way, then the latest', () => {
    const gone = Array.from({ length: 600 }, (_, index) =>
      recorded({ pod: name(`uid-gone-${index}`), letGoAt: at(0), since: at(-1000) }),
    );
    const many = Array.from({ length: 900 }, (_, index) => heard({ by: `user-${index}`, since: at(index - 900) }));
    const rows = gatherAsks(askers({ recorded: gone, heard: many }));
    expect(rows).toHaveLength(1000);
    expect(rows.filter(({ letGoAt }) => letGoAt === null)).toHaveLength(900);
    const crowd = Array.from({ length: 1200 }, (_, index) => heard({ by: `user-${index}`, since: at(index - 1200) }));
    expect(gatherAsks(askers({ heard: crowd })).map(({ by }) => by)).not.toContain('user-1000');
  });

  test('does not depend on the order in which it was heard', () => {
    const both = [heard(), heard({ by: 'joe' })];
    expect(gatherAsks(askers({ heard: both }))).toEqual(gatherAsks(askers({ heard: both.toReversed() })));
  });
});

describe('a person who forces a pod', () => {
  test('forces the very pod that the annotation names, whoever asks for it', () => {
    const forceOf = (pod: string) => (pod === 'uid-storage-1' ? 'the disk burns' : undefined);
    const rows = gatherAsks(askers({ heard: [heard(), heard({ pod: name('uid-storage-2') })], forceOf }));
    expect(rows.map(({ pod, force }) => [pod, force])).toEqual([
      ['uid-storage-1', 'the disk burns'],
      ['uid-storage-2', null],
    ]);
  });

  test('takes it back with the annotation', () => {
    expect(gatherAsks(askers({ recorded: [recorded({ force: 'the disk burns' })] }))[0]?.force).toBeNull();
  });

  test('asks for nothing by that alone', () => {
    expect(gatherAsks(askers({ forceOf: () => 'the disk burns' }))).toEqual([]);
  });
});

describe('Kubernetes, whose deletion of a pod by a taint was refused,', () => {
  const taintEvicted = new Set([name<AskRow['pod']>('uid-storage-1')]);
  const expels = [givenNode('n1', { taints: [{ key: 'broken', effect: 'NoExecute', timeAdded: null }] })];
  const row = recorded({ source: 'Taint', by: 'DeletionByTaintManager' });
  const itAsks = ['storage-1 Taint DeletionByTaintManager'];

  test.each<[string, Partial<Askers>, readonly string[]]>([
    ['asks', { taintEvicted, nodes: expels }, itAsks],
    ['asks while the nodes are not known', { taintEvicted, nodes: null }, itAsks],
    ['asks where the node is gone', { taintEvicted, nodes: [] }, itAsks],
    ['does not where the taint is gone, whatever the pod says', { taintEvicted }, []],
    [
      'does not where the taint only keeps others away',
      { taintEvicted, nodes: [givenNode('n1', { taints: [taint('x')] })] },
      [],
    ],
    ['goes on when the pod does not say so any more', { recorded: [row], nodes: expels }, itAsks],
    ['goes on while the nodes are not known', { recorded: [row], nodes: null }, itAsks],
    ['goes on where the node is gone', { recorded: [row], nodes: [] }, itAsks],
    ['has done once the taint is gone', { recorded: [row] }, []],
    ['has done once the taint is gone, whatever the pod says', { recorded: [row], taintEvicted }, []],
  ])('%s', (_, given, expected) => {
    expect(asked(given)).toEqual(expected);
  });

  test('is counted like others', () => {
    const first = gatherAsks(askers({ taintEvicted, nodes: expels }));
    expect(first).toMatchObject([{ since: at(0), lastSeen: at(0), times: 1 }]);
    const again = gatherAsks(askers({ now: at(90), recorded: first, taintEvicted, nodes: expels }));
    expect(again).toMatchObject([{ since: at(0), lastSeen: at(90), times: 2 }]);
  });
});
