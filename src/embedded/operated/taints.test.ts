import { describe, expect, test } from 'vitest';
import type { StatefulClusterSpecInput } from '../../api/v1alpha1/stateful-cluster.schema.ts';
import type { ClusterStory } from './testing/cluster-story.ts';
import { clusterUp, nothingLost } from './testing/cluster-story.ts';
import { key } from './testing/foundationdb-spec.ts';

type Replacements = NonNullable<NonNullable<StatefulClusterSpecInput['automationOptions']>['replacements']>;

const maintenance = 'example.com/maintenance';
const ignored = 'example.com/ignored';

/** A cluster whose taint replacement is on: marked a minute after a taint has been there for its duration. */
const upWith = (
  taintReplacementOptions: Replacements['taintReplacementOptions'],
  more: Partial<Replacements> = {},
): Promise<ClusterStory> =>
  clusterUp({
    automationOptions: {
      replacements: { enabled: true, taintReplacementTimeSeconds: 60, taintReplacementOptions, ...more },
    },
  });

const change = (story: ClusterStory, replacements: Replacements): Promise<void> =>
  story.change({ automationOptions: { replacements } });

describe('a setup with a key of its own', () => {
  test('lists each taint with since when and until when, and leaves other keys alone', async () => {
    const story = await upWith([{ key: maintenance, durationInSeconds: 300 }]);
    const [one, other] = [await story.alone('storage'), await story.alone('log')];
    await story.taint(one.node, maintenance);
    await story.taint(other.node, 'example.com/another');
    const before = story.world.clock.now();
    await story.world.pass(2);
    expect(await story.ails(one.id)).toEqual(['NodeTaintDetected']);
    expect(await story.row(other.id)).toMatchObject({ conditions: [], taints: [] });
    const [taint] = (await story.row(one.id))?.taints ?? [];
    const since = Date.parse(taint?.since ?? '');
    expect(taint?.key).toBe(maintenance);
    expect(Math.abs(since - before)).toBeLessThanOrEqual(2000);
    expect(Date.parse(taint?.replaceAt ?? '') - since).toBe(300_000);
    expect(await story.waits(one.id)).toContain('TaintTooYoung');
  });

  test('1200 s of taint and 1800 s of hold are 3000 s: not marked before, marked then', async () => {
    const story = await upWith([{ key: maintenance, durationInSeconds: 1200 }], { taintReplacementTimeSeconds: 1800 });
    const { id, node } = await story.alone('storage');
    await story.taint(node, maintenance);
    await story.world.pass(1199);
    expect(await story.ails(id)).not.toContain('NodeTaintReplacing');
    await story.world.pass(2);
    expect(await story.ails(id)).toContain('NodeTaintReplacing');
    expect(await story.waits(id)).toContain('TaintHold');
    await story.world.pass(2998 - 1201);
    expect(await story.marked()).toEqual([]);
    await story.world.pass(4);
    expect(await story.marked()).toEqual([id]);
    expect(await story.row(id)).toMatchObject({ removalReason: 'Tainted' });
    expect(await story.events('Tainted')).toMatchObject([{ action: 'Mark' }]);
  });

  test('a taint that goes away after its duration does not stop the replacement, one that goes before it does', async () => {
    const story = await upWith([{ key: maintenance, durationInSeconds: 60 }]);
    const [late, early] = [await story.alone('storage'), await story.alone('log')];
    await story.taint(early.node, maintenance);
    await story.world.pass(50);
    await story.taint(late.node, maintenance);
    await story.taint(early.node);
    await story.world.pass(65);
    await story.taint(late.node);
    await story.world.pass(30);
    expect(await story.row(early.id)).toMatchObject({ conditions: [], taints: [], waitingFor: [] });
    expect(await story.ails(late.id)).toEqual(['NodeTaintReplacing']);
    await story.world.pass(40);
    expect(await story.marked()).toEqual([late.id]);
    expect(await story.world.until(async () => !(await story.ids()).includes(late.id), 1200)).toBe(true);
    expect(story.database.truth()).toEqual(nothingLost);
  });
});

describe('the clock of a taint', () => {
  test('runs on while the operator is away, and what became due meanwhile is done when it is back', async () => {
    const story = await upWith([{ key: maintenance, durationInSeconds: 300 }]);
    const { id, node } = await story.alone('storage');
    await story.taint(node, maintenance);
    await story.world.pass(100);
    const seen = (await story.row(id))?.taints;
    await story.world.killOperator();
    await story.world.pass(150);
    story.world.startOperator();
    await story.world.pass(5);
    expect((await story.row(id))?.taints).toEqual(seen);
    await story.world.pass(40);
    expect(await story.ails(id)).toEqual(['NodeTaintDetected']);
    await story.world.pass(10);
    expect(await story.ails(id)).toContain('NodeTaintReplacing');
    await story.world.killOperator();
    await story.world.pass(120);
    expect(await story.marked()).toEqual([]);
    story.world.startOperator();
    await story.world.pass(5);
    expect(await story.marked()).toEqual([id]);
  });

  test('begins when the taint was added, where the taint says when', async () => {
    const story = await upWith([{ key: maintenance, durationInSeconds: 300 }]);
    const [due, early] = [await story.alone('storage'), await story.alone('log')];
    const added = (ago: number) => {
      const timeAdded = new Date(story.world.clock.now() - ago * 1000).toISOString().replace(/\.\d+Z/, 'Z');
      return { key: maintenance, effect: 'NoSchedule', timeAdded };
    };
    await story.taint(due.node, added(301));
    await story.taint(early.node, added(290));
    await story.world.pass(2);
    expect(await story.ails(due.id)).toContain('NodeTaintReplacing');
    expect(await story.ails(early.id)).toEqual(['NodeTaintDetected']);
    await story.world.pass(10);
    expect(await story.ails(early.id)).toContain('NodeTaintReplacing');
  });
});

describe('a setup with all keys but one', () => {
  test.each(['9007199254740991', '9223372036854775807'])('%s s is never', async (never) => {
    const story = await upWith([]);
    const options = `[{"key":"*","durationInSeconds":60},{"key":"${ignored}","durationInSeconds":${never}}]`;
    await story.changeText(`{"spec":{"automationOptions":{"replacements":{"taintReplacementOptions":${options}}}}}`);
    const [one, other] = [await story.alone('storage'), await story.alone('log')];
    await story.taint(one.node, ignored);
    await story.taint(other.node, 'example.com/whatever');
    await story.world.pass(2);
    expect(await story.ails(one.id)).toEqual(['NodeTaintDetected']);
    expect((await story.row(one.id))?.taints).toMatchObject([{ key: ignored, replaceAt: null }]);
    expect(await story.ails(other.id)).toEqual(['NodeTaintDetected']);
    await story.world.pass(130);
    expect(await story.marked()).toEqual([other.id]);
    await story.world.pass(1200);
    expect(await story.ails(one.id)).toEqual(['NodeTaintDetected']);
    expect(await story.ids()).not.toContain(other.id);
  });

  test.each([
    { everything: 60, exact: 600, ails: ['NodeTaintDetected'] },
    { everything: 600, exact: 60, ails: ['NodeTaintDetected', 'NodeTaintReplacing'] },
  ])('the exact key beats *: $everything s for all, $exact s for this one', async ({ everything, exact, ails }) => {
    const story = await upWith([
      { key: '*', durationInSeconds: everything },
      { key: maintenance, durationInSeconds: exact },
    ]);
    const { id, node } = await story.alone('storage');
    await story.taint(node, maintenance);
    await story.world.pass(62);
    expect([...(await story.ails(id))].sort()).toEqual(ails);
  });
});

describe('the feature off', () => {
  test('from the start: a taint is not even looked at', async () => {
    const story = await upWith([]);
    const { id, node } = await story.alone('storage');
    const before = story.world.writes.length;
    await story.taint(node, maintenance);
    await story.world.pass(600);
    expect(await story.row(id)).toMatchObject({ conditions: [], taints: [], waitingFor: [] });
    expect(story.world.writes.slice(before)).toEqual([]);
  });

  test.each([
    { when: 'detected', after: 30, had: ['NodeTaintDetected'] },
    { when: 'replacing', after: 90, had: ['NodeTaintDetected', 'NodeTaintReplacing'] },
  ])('switched off while a process group is $when: nothing of it stays', async ({ after, had }) => {
    const story = await upWith([{ key: maintenance, durationInSeconds: 60 }]);
    const { id, node } = await story.alone('storage');
    await story.taint(node, maintenance);
    await story.world.pass(after);
    expect([...(await story.ails(id))].sort()).toEqual(had);
    await change(story, { taintReplacementOptions: [] });
    await story.world.pass(2);
    expect(await story.row(id)).toMatchObject({ conditions: [], taints: [], waitingFor: [] });
    await story.world.pass(300);
    expect(await story.marked()).toEqual([]);
    expect(await story.world.isAtRest(key)).toBe(true);
  });

  test('switched off when a process group is marked: it leaves all the same', async () => {
    const story = await upWith([{ key: maintenance, durationInSeconds: 60 }]);
    const { id, node } = await story.alone('storage');
    await story.taint(node, maintenance);
    await story.world.pass(125);
    expect(await story.marked()).toEqual([id]);
    await change(story, { taintReplacementOptions: [] });
    expect(await story.world.until(async () => !(await story.ids()).includes(id), 1200)).toBe(true);
  });

  test('without automatic replacement taints are shown, and nothing is replaced', async () => {
    const story = await upWith([{ key: maintenance, durationInSeconds: 60 }], { enabled: false });
    const { id, node } = await story.alone('storage');
    await story.taint(node, maintenance);
    await story.world.pass(600);
    expect([...(await story.ails(id))].sort()).toEqual(['NodeTaintDetected', 'NodeTaintReplacing']);
    expect(await story.marked()).toEqual([]);
  });
});

describe('the brake for mass events', () => {
  test.each([
    { limit: 2, marked: 1 },
    { limit: 1, marked: 0 },
    { limit: '17%', marked: 1 },
    { limit: '16%', marked: 0 },
  ])('two of twelve fault domains are tainted, $limit may be: $marked is marked', async ({ limit, marked }) => {
    const story = await upWith([{ key: maintenance, durationInSeconds: 60 }], {
      maxFaultDomainsWithTaintedProcessGroups: limit,
    });
    const [one, other] = [await story.alone('storage'), await story.alone('log')];
    await story.taint(one.node, maintenance);
    await story.taint(other.node, maintenance);
    await story.world.pass(130);
    expect(await story.marked()).toHaveLength(marked);
    if (marked > 0) return;
    for (const { id } of [one, other]) expect(await story.waits(id)).toContain('TaintBrake');
    expect(await story.events('TaintBrake')).toMatchObject([{ type: 'Warning' }, { type: 'Warning' }]);
    // It lets go by itself, of those that it held.
    await story.taint(other.node);
    await story.world.pass(5);
    expect(await story.marked()).toHaveLength(1);
  });
});

describe('an operator that starts', () => {
  test('does not say that nodes cannot be read before it has tried to', async () => {
    const story = await upWith([{ key: maintenance, durationInSeconds: 300 }]);
    await story.world.killOperator();
    story.world.startOperator();
    await story.world.pass(60);
    expect(await story.events('NodesUnreadable')).toEqual([]);
    const { node, id } = await story.alone('storage');
    await story.taint(node, maintenance);
    await story.world.pass(2);
    expect(await story.ails(id)).toEqual(['NodeTaintDetected']);
  });

  test('says so where it may not, and nothing else of the cluster waits for that', async () => {
    const options = [{ key: maintenance, durationInSeconds: 300 }];
    const replacements = { enabled: true, taintReplacementOptions: options };
    const story = await clusterUp({ automationOptions: { replacements } }, { unreadable: ['nodes'] });
    expect(await story.events('NodesUnreadable')).not.toEqual([]);
  });
});
