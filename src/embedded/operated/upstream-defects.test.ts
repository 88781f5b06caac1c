import { describe, expect, test, vi } from 'vitest';
import { nodes, pods } from '../../kube/resources.ts';
import { clusterUp, nothingLost } from './testing/cluster-story.ts';
import { foundationdb } from './testing/foundationdb-spec.ts';

const call = { signal: new AbortController().signal };
const maintenance = 'example.com/maintenance';
const ignored = 'example.com/ignored';
const withReplacements = (replacements: object) => ({ automationOptions: { replacements } });

/** Found by reading FoundationDB's own operator (research/foundationdb.md): what it gets wrong, and Drover does not. */
describe("the taints of a node share no clock (upstream's 3.2)", () => {
  const longAgo = '2026-01-01T00:00:00Z';
  const taintReplacementOptions = [
    { key: '*', durationInSeconds: 600 },
    { key: ignored, durationInSeconds: Number.MAX_SAFE_INTEGER },
  ];

  test('an old one that is ignored does not age a new one', async () => {
    const story = await clusterUp(withReplacements({ enabled: true, taintReplacementOptions }));
    const { id, node } = await story.alone('storage');
    const old = { key: ignored, effect: 'NoSchedule', timeAdded: longAgo };
    await story.taint(node, old);
    await story.world.pass(60);
    expect((await story.row(id))?.taints).toMatchObject([{ key: ignored, since: new Date(longAgo).toISOString() }]);
    await story.taint(node, old, maintenance);
    await story.world.pass(595);
    expect(await story.ails(id)).toEqual(['NodeTaintDetected']);
    await story.world.pass(7);
    expect(await story.ails(id)).toContain('NodeTaintReplacing');
  });

  test('one that is ignored does not keep the cluster from being ready and at rest', async () => {
    const story = await clusterUp(withReplacements({ enabled: true, taintReplacementOptions }));
    const { node } = await story.alone('storage');
    await story.taint(node, ignored);
    await story.world.pass(60);
    const before = story.world.writes.length;
    await story.world.pass(600);
    expect(story.world.writes.slice(before)).toEqual([]);
    expect(await story.condition('Ready')).toMatchObject({ status: 'True' });
    expect(await story.condition('Progressing')).toMatchObject({ status: 'False' });
  });
});

describe("a Node object that vanished stops nothing (upstream's 3.2)", () => {
  test('while its pod remains, it is told, and the others are looked after', async () => {
    const taintReplacementOptions = [{ key: maintenance, durationInSeconds: 60 }];
    const story = await clusterUp(withReplacements({ taintReplacementOptions }));
    const [lost, tainted] = [await story.alone('storage'), await story.alone('log')];
    const [asked = ''] = await story.ids('stateless');
    await story.holdOn(lost.id);
    await story.world.people.delete(nodes, { name: lost.node }, call);
    await story.world.pass(2);
    expect(await story.waits(lost.id)).toContain('NodeUnknown');
    expect(await story.events('NodeUnknown')).toMatchObject([{ type: 'Warning' }]);
    await story.taint(tainted.node, maintenance);
    await story.change({ processGroupsToRemove: [asked] });
    await story.world.pass(2);
    expect(await story.ails(tainted.id)).toEqual(['NodeTaintDetected']);
    expect(await story.world.until(async () => !(await story.ids()).includes(asked), 300)).toBe(true);
    await story.world.pass(60);
    expect(await story.ails(tainted.id)).toContain('NodeTaintReplacing');
    expect(story.pod(lost.id)).toBeDefined();
    expect(story.world.errors).toEqual([]);
  });
});

describe('a machine that is gone for good, with its Node object and its disks', () => {
  test('its process group is replaced like any other that failed', async () => {
    const story = await clusterUp(withReplacements({ enabled: true, failureDetectionTimeSeconds: 300 }));
    const { id, node } = await story.alone('storage');
    story.world.cluster.killNode(node);
    await story.world.people.delete(nodes, { name: node }, call);
    await story.world.pass(200);
    expect(await story.waits(id)).toEqual(['FailureTooYoung', 'Unschedulable']);
    expect(await story.world.until(async () => !(await story.ids()).includes(id), 1800)).toBe(true);
    expect(await story.ids('storage')).toHaveLength(5);
    expect(story.exclusions).toEqual([]);
    expect(story.database.truth()).toEqual(nothingLost);
  });
});

describe("Drover has timers of its own (upstream's 2.1)", () => {
  test('a taint is acted on to the second in a cluster in which nothing else happens', async () => {
    const taintReplacementOptions = [{ key: maintenance, durationInSeconds: 617 }];
    const story = await clusterUp(
      withReplacements({ enabled: true, taintReplacementOptions, taintReplacementTimeSeconds: 311 }),
    );
    const { id, node } = await story.alone('storage');
    await story.taint(node, maintenance);
    await story.world.pass(2);
    const seen = Date.parse((await story.row(id))?.taints[0]?.since ?? '');
    await story.world.pass(930);
    const row = await story.row(id);
    expect(Date.parse(row?.removalTimestamp ?? '') - seen).toBe(928_000);
  });

  test('a failure is acted on to the second', async () => {
    const story = await clusterUp(withReplacements({ enabled: true, failureDetectionTimeSeconds: 617 }));
    const { id } = await story.alone('storage');
    story.cutOff(id);
    expect(await story.world.until(async () => (await story.ails(id)).includes('MissingProcesses'), 120)).toBe(true);
    const since = Date.parse((await story.row(id))?.conditions[0]?.timestamp ?? '');
    await story.world.pass((since + 618_000 - story.world.clock.now()) / 1000);
    expect(Date.parse((await story.row(id))?.removalTimestamp ?? '') - since).toBe(617_000);
  });

  test('a pod that stops being ready, which changes its status alone, is seen at once', async () => {
    const story = await clusterUp();
    const { id } = await story.alone('stateless');
    const body = { metadata: { annotations: { 'fake.drover.dev/ready': 'false' } } };
    await story.world.people.patch(pods, { namespace: 'db', name: `orders-${id}` }, { type: 'merge', body }, call);
    await story.world.pass(2);
    expect(await story.ails(id)).toEqual(['PodFailing']);
  });
});

describe("no step starves another (upstream's 2.2)", () => {
  test('pods that may not be made again now do not hold up those that are removed', async () => {
    const automationOptions = { podUpdateStrategy: 'Delete' } as const;
    const story = await clusterUp({ maxZonesWithUnavailablePods: 0, automationOptions });
    const down = await story.alone('storage');
    const [asked = ''] = await story.ids('stateless');
    story.world.cluster.killNode(down.node);
    await story.world.pass(90);
    const image = { spec: { containers: [{ name: 'foundationdb', image: 'foundationdb:7.3.69' }] } };
    const roles = foundationdb.roles.map((role) => ({ ...role, template: image }));
    await story.change({ roles, processGroupsToRemove: [asked] });
    await story.world.pass(30);
    const { id: outdated } = await story.alone('log');
    const pod = story.pod(outdated)?.uid;
    expect(await story.waits(outdated)).toContain('ZonesUnavailable');
    expect(await story.world.until(async () => !(await story.ids()).includes(asked), 300)).toBe(true);
    expect(story.pod(outdated)?.uid).toBe(pod);
    expect(await story.ails(outdated)).toEqual(['IncorrectPodSpec']);
  });

  test('one that is not drained yet does not hold up one that is', async () => {
    const story = await clusterUp({}, { database: { bytesPerSecond: 1 } });
    const { id } = await story.alone('storage');
    const [other = ''] = await story.ids('stateless');
    await story.change({ processGroupsToRemove: [id, other] });
    expect(await story.world.until(async () => !(await story.ids()).includes(other), 300)).toBe(true);
    expect(await story.waits(id)).toContain('Draining');
  });
});

describe("nothing spins (upstream's 2.2)", () => {
  test('deletionMode and removalMode None, which spin there, are not offered', async () => {
    const story = await clusterUp();
    for (const mode of ['deletionMode', 'removalMode'])
      await expect(story.change({ automationOptions: { [mode]: 'None' } })).rejects.toThrow(
        `spec.automationOptions.${mode}`,
      );
  });

  test('what waits until people do something is looked at every 5 s, and nothing is written', async () => {
    const story = await clusterUp();
    const { id } = await story.alone('storage');
    await story.change({ processGroupsToRemove: [id], buggify: { blockRemoval: [id] } });
    expect(await story.world.until(async () => (await story.waits(id)).includes('RemovalBlocked'), 900)).toBe(true);
    await story.world.pass(60);
    const [before, asked] = [story.world.writes.length, vi.spyOn(story.database, 'fdbcli')];
    await story.world.pass(600);
    expect(story.world.writes.slice(before)).toEqual([]);
    expect(asked.mock.calls.length).toBeGreaterThan(100);
    expect(asked.mock.calls.length).toBeLessThanOrEqual(2 * 121);
    const words = asked.mock.calls.flatMap(([argv]) => argv);
    expect(words).toContainEqual(expect.stringContaining('status json'));
    expect(words.filter((word) => /exclude|include|coordinators|configure|maintenance/.test(word))).toEqual([]);
  });
});

describe("a shrink takes no more than it is told to (upstream's 3.10)", () => {
  test('a missing process of another role stays', async () => {
    const story = await clusterUp();
    const { id } = await story.alone('storage');
    story.cutOff(id);
    expect(await story.world.until(async () => (await story.ails(id)).includes('MissingProcesses'), 120)).toBe(true);
    const roles = foundationdb.roles.map((role) => (role.name === 'stateless' ? { ...role, count: 2 } : role));
    await story.change({ roles });
    expect(await story.world.until(async () => (await story.ids('stateless')).length === 2, 600)).toBe(true);
    expect(await story.marked()).toEqual([]);
    expect(await story.ids('storage')).toHaveLength(5);
  });

  test('of its own role the missing one goes first', async () => {
    const story = await clusterUp();
    const { id } = await story.alone('storage');
    story.cutOff(id);
    expect(await story.world.until(async () => (await story.ails(id)).includes('MissingProcesses'), 120)).toBe(true);
    const roles = foundationdb.roles.map((role) => (role.name === 'storage' ? { ...role, count: 4 } : role));
    await story.change({ roles });
    await story.world.pass(5);
    expect(await story.marked()).toEqual([id]);
    expect(await story.events('Shrink')).toMatchObject([{ note: expect.stringContaining('it has MissingProcesses') }]);
    expect(story.database.truth()).toEqual(nothingLost);
  });
});
