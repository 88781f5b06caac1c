import { expect } from 'vitest';
import type { Story } from '../story.ts';
import type { StoryCluster } from '../story-cluster.ts';
import { eventually } from '../story-cluster.ts';

const maintenance = 'example.com/maintenance';
const ignored = 'example.com/ignored';
/** The largest int64, which JavaScript cannot say. */
const never = '9223372036854775807';

/** Two plain process groups, each on its node. */
const two = (cluster: StoryCluster) => [cluster.plain('storage'), cluster.plain('stateless')] as const;
const instantOf = (text: string | null | undefined): number => Date.parse(text ?? '');

/** Nodes for seven and for what comes instead. */
const ownNodes = 9;

export const tainting: readonly Story[] = [
  {
    says: 'three tainted ones go one after the other, also when the taints are gone once the first is marked and the others are Replacing',
    ownNodes: 10,
    spec: { automationOptions: { waitBetweenRemovalsSeconds: 0 } },
    automatic: {
      maxConcurrentReplacements: 1,
      taintReplacementOptions: [{ key: maintenance, durationInSeconds: 30 }],
      taintReplacementTimeSeconds: 60,
    },
    // Slow, so that the first one is still there when the taints are gone.
    database: { bytesPerSecond: 16 * 2 ** 20 },
    goes: async (cluster) => {
      const tainted = cluster.rows('storage');
      const ids = tainted.map(({ processGroupID }) => processGroupID);
      for (const { nodeName } of tainted) await cluster.taint(nodeName ?? '', maintenance);
      await eventually(() => expect(cluster.marked()).toHaveLength(1));
      for (const { nodeName } of tainted) await cluster.taint(nodeName ?? '');
      await eventually(() => {
        for (const id of ids) expect(cluster.row(id)).toMatchObject({ taints: [] });
      });
      for (const id of ids) expect(cluster.ails(id)).toEqual(['NodeTaintReplacing']);
      const [first = ''] = cluster.marked();
      for (const id of ids) await cluster.isGone(id);
      await cluster.settles();
      expect(cluster.everMarked()).toEqual([...ids].sort());
      expect(cluster.mostInFlight()).toBe(1);
      for (const id of ids) expect(cluster.whenMarked(id)?.removalReason).toBe('Tainted');
      const rows = cluster.history.flatMap(({ status }) => status.processGroups);
      const waited = rows.filter(({ waitingFor }) => waitingFor.some(({ code }) => code === 'ReplacementCap'));
      const others = ids.filter((id) => id !== first);
      expect(new Set(waited.map(({ processGroupID }) => processGroupID))).toEqual(new Set(others));
      await cluster.lostNothing();
    },
  },
  {
    says: 'a key of its own: each taint is listed with its clock, the durations add up, and other keys are left alone',
    ownNodes,
    automatic: {
      taintReplacementOptions: [{ key: maintenance, durationInSeconds: 120 }],
      taintReplacementTimeSeconds: 180,
    },
    goes: async (cluster) => {
      const [one, other] = two(cluster);
      await cluster.taint(other.node, 'example.com/another');
      await cluster.taint(one.node, maintenance);
      await eventually(() => expect(cluster.ails(one.id)).toEqual(['NodeTaintDetected']));
      const [taint] = cluster.row(one.id)?.taints ?? [];
      const since = instantOf(taint?.since);
      expect(taint).toMatchObject({ key: maintenance, replaceAt: new Date(since + 120_000).toISOString() });
      expect(cluster.waits(one.id)).toContain('TaintTooYoung');
      await eventually(() => expect(cluster.waits(one.id)).toContain('TaintHold'));
      await eventually(() => expect(cluster.everMarked()).toEqual([one.id]));
      const { conditions = [], removalTimestamp, removalReason } = cluster.whenMarked(one.id) ?? {};
      const replacing = conditions.find(({ type }) => type === 'NodeTaintReplacing');
      expect(instantOf(replacing?.timestamp) - since).toBeGreaterThanOrEqual(120_000);
      expect(instantOf(removalTimestamp) - since).toBeGreaterThanOrEqual(300_000);
      expect(instantOf(removalTimestamp) - since).toBeLessThan(360_000);
      expect(removalReason).toBe('Tainted');
      expect(await cluster.tells('Tainted', 'Mark Normal')).toEqual([expect.stringContaining(maintenance)]);
      await cluster.isGone(one.id);
      expect(cluster.row(other.id)).toMatchObject({ conditions: [], taints: [] });
      expect(cluster.everMarked()).toEqual([one.id]);
      await cluster.lostNothing();
    },
  },
  {
    says: 'all keys but one: the one with the largest int64 is detected and never replaced',
    ownNodes,
    automatic: { taintReplacementTimeSeconds: 60 },
    goes: async (cluster) => {
      const options = `[{"key":"*","durationInSeconds":60},{"key":"${ignored}","durationInSeconds":${never}}]`;
      await cluster.changeText(
        `{"spec":{"automationOptions":{"replacements":{"taintReplacementOptions":${options}}}}}`,
      );
      const [one, other] = two(cluster);
      await cluster.taint(one.node, ignored);
      await cluster.taint(other.node, 'example.com/whatever');
      await eventually(() => expect(cluster.ails(one.id)).toEqual(['NodeTaintDetected']));
      expect(cluster.row(one.id)?.taints).toMatchObject([{ key: ignored, replaceAt: null }]);
      await cluster.isGone(other.id);
      await cluster.pass(240);
      expect(cluster.ails(one.id)).toEqual(['NodeTaintDetected']);
      expect(cluster.everMarked()).toEqual([other.id]);
      const { stdout } = await cluster.stage.plane.kubectl([
        'get',
        'statefulcluster',
        'orders',
        `--namespace=${cluster.namespace}`,
        '--output=jsonpath={.spec.automationOptions.replacements.taintReplacementOptions[1].durationInSeconds}',
      ]);
      expect(stdout).toBe(never);
      await cluster.lostNothing();
    },
  },
  {
    says: 'the exact key beats *, whether its time is shorter or longer',
    ownNodes,
    automatic: {
      taintReplacementOptions: [
        { key: '*', durationInSeconds: 600 },
        { key: 'example.com/soon', durationInSeconds: 60 },
        { key: 'example.com/late', durationInSeconds: 7200 },
      ],
      taintReplacementTimeSeconds: 60,
    },
    goes: async (cluster) => {
      const [soon, late, other] = cluster.rows('storage');
      const tainted = [
        { row: soon, key: 'example.com/soon', seconds: 60 },
        { row: late, key: 'example.com/late', seconds: 7200 },
        { row: other, key: 'example.com/other', seconds: 600 },
      ];
      for (const { row, key } of tainted) await cluster.taint(row?.nodeName ?? '', key);
      for (const { row, key, seconds } of tainted) {
        const id = row?.processGroupID ?? '';
        await eventually(() => expect(cluster.row(id)?.taints).toMatchObject([{ key }]));
        const [taint] = cluster.row(id)?.taints ?? [];
        expect(instantOf(taint?.replaceAt) - instantOf(taint?.since)).toBe(seconds * 1000);
      }
      await eventually(() => expect(cluster.everMarked()).toEqual([soon?.processGroupID]));
      expect(cluster.ails(late?.processGroupID ?? '')).toEqual(['NodeTaintDetected']);
      await cluster.lostNothing();
    },
  },
  {
    says: 'the feature off: nothing stays of one that was Replacing, and a taint is not even looked at',
    ownNodes,
    automatic: {
      taintReplacementOptions: [{ key: maintenance, durationInSeconds: 30 }],
      taintReplacementTimeSeconds: 300,
    },
    goes: async (cluster) => {
      const [one, other] = two(cluster);
      await cluster.taint(one.node, maintenance);
      await eventually(() => expect(cluster.ails(one.id)).toContain('NodeTaintReplacing'));
      await cluster.change({ automationOptions: { replacements: { taintReplacementOptions: [] } } });
      await eventually(() => expect(cluster.row(one.id)).toMatchObject({ conditions: [], taints: [], waitingFor: [] }));
      await cluster.settles();
      const before = cluster.history.length;
      await cluster.taint(other.node, maintenance);
      await cluster.pass(360);
      expect(cluster.everMarked()).toEqual([]);
      expect(cluster.row(other.id)).toMatchObject({ conditions: [], taints: [], waitingFor: [] });
      expect(cluster.history.slice(before).map(({ status }) => status)).toEqual([]);
    },
  },
];
