import { describe, expect, test } from 'vitest';
import type { StatefulClusterSpecInput } from '../../api/v1alpha1/stateful-cluster.schema.ts';
import { nodes, pods } from '../../kube/resources.ts';
import { claims } from '../../operator/resources.ts';
import { budgets } from '../cluster/resources.ts';
import { drainStory } from './testing/drain-story.ts';
import { foundationdb, key } from './testing/foundationdb-spec.ts';
import { onNetworkVolumes } from './testing/network-volumes.ts';

const web = { metadata: { labels: { app: 'web' } } };
const call = { signal: new AbortController().signal };
const scratch = { spec: { volumes: [{ name: 'd', emptyDir: {} }] } };

describe('a NodeDrain', () => {
  test('takes everything off a node that may go, and leaves it cordoned', async () => {
    const story = await drainStory();
    await story.daemonSet('agent');
    await story.set('web', 6);
    await story.pass(10);
    const before = story.podsOn('n1').length;
    expect(before).toBeGreaterThan(1);
    await story.drain('upgrade', { nodes: ['n1'] });
    await story.pass(10);
    expect(await story.says('upgrade')).toEqual(['Completed', 'n1 Drained 0']);
    expect(story.podsOn('n1')).toEqual([expect.stringMatching(/^agent/)]);
    expect(await story.isCordoned('n1')).toBe(true);
    expect(await story.reason('upgrade', 'Completed')).toBe('AllDrained');
    expect(await story.events()).toEqual(['NodeDraining', 'NodeDrained', 'Completed']);
    expect(story.world.errors).toEqual([]);
  });

  test('gives the node back where that is asked for, and not what somebody else had cordoned', async () => {
    const story = await drainStory();
    await story.change(nodes, 'n2', { spec: { unschedulable: true } });
    await story.drain('pool', { nodes: ['n1', 'n2'], afterwards: 'Uncordon' });
    await story.pass(10);
    expect(await story.says('pool')).toEqual(['Completed', 'n1 Drained 0', 'n2 Drained 0']);
    expect(await story.isCordoned('n1')).toBe(false);
    expect(await story.isCordoned('n2')).toBe(true);
  });

  test.each`
    what          | pod        | settings                        | outcome
    ${'emptyDir'} | ${scratch} | ${{}}                           | ${'EmptyDirPod'}
    ${'emptyDir'} | ${scratch} | ${{ deleteEmptyDirData: true }} | ${'gone'}
    ${'bare'}     | ${{}}      | ${{}}                           | ${'UnmanagedPod'}
    ${'bare'}     | ${{}}      | ${{ force: true }}              | ${'gone'}
  `('$what with $settings: $outcome', async ({ what, pod, settings, outcome }) => {
    const story = await drainStory();
    await (what === 'bare' ? story.pod('x', 'n1') : story.owned('x', 'n1', pod));
    await story.pass(5);
    await story.drain('upgrade', { nodes: ['n1'], pods: settings });
    await story.pass(15);
    expect(await story.says('upgrade')).toEqual(
      outcome === 'gone' ? ['Completed', 'n1 Drained 0'] : ['Pending', 'n1 Pending 1', `  default/x ${outcome}`],
    );
    // What cannot be drained is not touched.
    expect(await story.isCordoned('n1')).toBe(outcome === 'gone');
    expect(await story.reason('upgrade', 'Blocked')).toBe(outcome === 'gone' ? 'NothingWaits' : outcome);
  });

  test('goes on when a setting is changed', async () => {
    const story = await drainStory();
    await story.pod('x', 'n1');
    await story.pass(5);
    await story.drain('upgrade', { nodes: ['n1'] });
    await story.pass(5);
    await story.change(
      { group: 'drover.dev', version: 'v1alpha1', kind: 'NodeDrain', plural: 'nodedrains', namespaced: false },
      'upgrade',
      { spec: { pods: { force: true } } },
    );
    await story.pass(10);
    expect(await story.says('upgrade')).toEqual(['Completed', 'n1 Drained 0']);
  });

  test('reads on behind many nodes that cannot begin', async () => {
    const story = await drainStory({ nodes: 23 });
    const names = Array.from({ length: 23 }, (_, index) => `n${index + 1}`);
    for (const node of names.slice(0, 22)) await story.pod(`bare-${node}`, node);
    await story.owned('web', 'n23');
    await story.pass(5);
    await story.drain('upgrade', { nodes: names });
    await story.pass(60);
    expect(await story.says('upgrade')).toContain('n23 Drained 0');
  });

  test('leaves mirror pods alone', async () => {
    const story = await drainStory();
    await story.pod('static', 'n1', { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } });
    await story.pass(5);
    await story.drain('upgrade', { nodes: ['n1'] });
    await story.pass(10);
    expect(await story.says('upgrade')).toEqual(['Completed', 'n1 Drained 0']);
    expect(story.podsOn('n1')).toEqual(['static']);
  });

  test('begins nothing while one of its nodes does not exist', async () => {
    const story = await drainStory();
    await story.drain('typo', { nodes: ['n1', 'n9'] });
    await story.pass(5);
    expect(await story.says('typo')).toEqual(['Pending']);
    expect(await story.reason('typo', 'Completed')).toBe('NoNodes');
    expect(await story.isCordoned('n1')).toBe(false);
    await story.world.cluster.addNode({ name: 'n9', zone: 'z1' });
    await story.pass(15);
    expect(await story.says('typo')).toEqual(['Completed', 'n1 Drained 0', 'n9 Drained 0']);
  });

  test('finds its nodes by their labels when it starts', async () => {
    const story = await drainStory();
    await story.change(nodes, 'n2', { metadata: { labels: { pool: 'blue' } } });
    await story.drain('pool', { nodeSelector: { matchLabels: { pool: 'blue' } } });
    await story.pass(10);
    expect(await story.says('pool')).toEqual(['Completed', 'n2 Drained 0']);
  });

  test('takes nodes in turn', async () => {
    const story = await drainStory();
    await story.owned('web', 'n1', web);
    await story.owned('other', 'n2');
    await story.budget('web', { minAvailable: 1, selector: { matchLabels: { app: 'web' } } });
    await story.pass(5);
    await story.drain('upgrade', { nodes: ['n1', 'n2'] });
    await story.pass(3);
    expect(await story.says('upgrade')).toEqual([
      'Draining',
      'n1 Draining 1',
      '  default/web BudgetHolds',
      'n2 Pending 1 NodeWaits',
    ]);
    expect(await story.isCordoned('n2')).toBe(false);
    await story.change(budgets, 'web', { spec: { minAvailable: 0 } });
    await story.pass(15);
    expect(await story.says('upgrade')).toEqual(['Completed', 'n1 Drained 0', 'n2 Drained 0']);
  });
});

describe('what holds a pod is said, and waited for', () => {
  test('a budget, in the API server’s words, until it allows it', async () => {
    const story = await drainStory();
    await story.set('web', 3);
    await story.budget('web', { minAvailable: 3, selector: { matchLabels: { app: 'web' } } });
    await story.pass(10);
    const node = ['n1', 'n2', 'n3'].find((name) => story.podsOn(name).length > 0) ?? '';
    const [pod] = story.podsOn(node);
    await story.drain('upgrade', { nodes: [node] });
    await story.pass(3);
    const rows = (await story.status('upgrade'))?.nodes[0]?.waiting ?? [];
    expect(rows[0]).toMatchObject({ pod: `default/${pod}`, verdict: 'wait', reasons: [{ code: 'BudgetHolds' }] });
    expect(rows[0]?.reasons[0]?.message).toContain('needs 3 healthy pods and has 3 currently');
    expect(await story.reason('upgrade', 'Blocked')).toBe('BudgetHolds');
    await story.change(budgets, 'web', { spec: { minAvailable: 0 } });
    // At once, not only when its back-off is over.
    await story.pass(4);
    expect(await story.says('upgrade')).toEqual(['Completed', `${node} Drained 0`]);
  });

  test('two budgets, by their names', async () => {
    const story = await drainStory();
    await story.owned('web', 'n1', web);
    for (const name of ['one', 'two'])
      await story.budget(name, { minAvailable: 0, selector: { matchLabels: { app: 'web' } } });
    await story.pass(10);
    await story.drain('upgrade', { nodes: ['n1'] });
    await story.pass(15);
    const [row] = (await story.status('upgrade'))?.nodes[0]?.waiting ?? [];
    expect(row?.reasons[0]).toMatchObject({
      code: 'SeveralBudgets',
      message: expect.stringContaining('default/one and default/two'),
    });
    await story.world.people.delete(budgets, { namespace: 'default', name: 'two' }, call);
    await story.pass(10);
    expect(await story.says('upgrade')).toEqual(['Completed', 'n1 Drained 0']);
  });

  test('a volume that is still attached', async () => {
    const story = await drainStory();
    await story.attach('csi-1', 'n1', 'pvc-1');
    await story.attach('csi-2', 'n2', 'pvc-2');
    await story.drain('upgrade', { nodes: ['n1'] });
    await story.pass(5);
    expect(await story.says('upgrade')).toEqual(['Draining', 'n1 Draining 0 VolumesAttached']);
    await story.detach('csi-1');
    await story.pass(3);
    expect(await story.says('upgrade')).toEqual(['Completed', 'n1 Drained 0']);
  });

  test('another drain of the node, which came first', async () => {
    const story = await drainStory();
    await story.owned('stays', 'n1', { metadata: { finalizers: ['example.com/hold'] } });
    await story.pass(3);
    await story.drain('first', { nodes: ['n1'] });
    await story.pass(3);
    await story.drain('second', { nodes: ['n1'] });
    await story.pass(3);
    expect(await story.says('second')).toEqual(['Pending', 'n1 Pending 1 AnotherDrain', '  default/stays PodGoing']);
    await story.change(pods, 'stays', { metadata: { finalizers: null } });
    await story.pass(15);
    expect(await story.says('first')).toEqual(['Completed', 'n1 Drained 0']);
    expect(await story.says('second')).toEqual(['Completed', 'n1 Drained 0']);
  });

  test('a deadline that cannot be kept, up front', async () => {
    const story = await drainStory();
    await story.pod('bare', 'n1');
    await story.pass(3);
    const deadline = new Date(story.world.clock.now() + 60_000).toISOString();
    await story.drain('upgrade', { nodes: ['n1'], deadline });
    await story.pass(5);
    const at = (await story.status('upgrade'))?.conditions.find(({ type }) => type === 'DeadlineAtRisk');
    expect(at).toMatchObject({
      status: 'True',
      reason: 'CannotEnd',
      message: expect.stringContaining('because default/bare belongs to no controller'),
    });
  });
});

describe('a drain that is taken back', () => {
  test('uncordons what it cordoned, and nothing else', async () => {
    const story = await drainStory();
    await story.change(nodes, 'n2', { spec: { unschedulable: true } });
    for (const node of ['n1', 'n2']) await story.owned(`web-${node}`, node, web);
    await story.budget('web', { minAvailable: 2, selector: { matchLabels: { app: 'web' } } });
    await story.pass(5);
    await story.drain('upgrade', { nodes: ['n1', 'n2'], maxConcurrentNodes: 2 });
    await story.pass(5);
    expect(await story.isCordoned('n1')).toBe(true);
    await story.cancel('upgrade');
    await story.pass(3);
    expect(await story.says('upgrade')).toEqual(['gone']);
    expect(await story.isCordoned('n1')).toBe(false);
    expect(await story.isCordoned('n2')).toBe(true);
    expect((await story.node('n1')).metadata.annotations?.['drover.dev/cordoned-by']).toBeUndefined();
    expect(story.podsOn('n1')).toEqual(['web-n1']);
    expect(await story.events()).toContain('Cancelled');
  });

  test('after it was done, leaves the node cordoned, and no trace of itself', async () => {
    const story = await drainStory();
    await story.drain('upgrade', { nodes: ['n1'] });
    await story.pass(5);
    await story.cancel('upgrade');
    await story.pass(3);
    expect(await story.says('upgrade')).toEqual(['gone']);
    expect(await story.isCordoned('n1')).toBe(true);
    expect((await story.node('n1')).metadata.annotations?.['drover.dev/cordoned-by']).toBeUndefined();
  });
});

describe('bad days', () => {
  test('a node that is deleted in the middle is done, with a note', async () => {
    const story = await drainStory();
    await story.owned('web', 'n1', web);
    await story.budget('web', { minAvailable: 1, selector: { matchLabels: { app: 'web' } } });
    await story.pass(5);
    await story.drain('upgrade', { nodes: ['n1'] });
    await story.pass(5);
    await story.world.people.delete(nodes, { name: 'n1' }, { signal: new AbortController().signal });
    await story.pass(3);
    expect(await story.says('upgrade')).toEqual(['Completed', 'n1 Gone 0 NodeGone']);
  });

  test('what lands on the node meanwhile goes, too', async () => {
    const story = await drainStory();
    await story.attach('csi-1', 'n1', 'pvc-1');
    await story.drain('upgrade', { nodes: ['n1'] });
    await story.pass(3);
    await story.owned('late', 'n1');
    await story.pass(5);
    expect(story.podsOn('n1')).toEqual([]);
  });

  test('somebody uncordons it: it is cordoned again', async () => {
    const story = await drainStory();
    await story.attach('csi-1', 'n1', 'pvc-1');
    await story.drain('upgrade', { nodes: ['n1'] });
    await story.pass(3);
    await story.change(nodes, 'n1', { spec: { unschedulable: null } });
    await story.pass(3);
    expect(await story.isCordoned('n1')).toBe(true);
  });

  test('an hour of waiting costs as much in its second half as in its first, and little', async () => {
    const story = await drainStory();
    await story.owned('web', 'n1', web);
    await story.budget('web', { minAvailable: 1, selector: { matchLabels: { app: 'web' } } });
    await story.pass(5);
    await story.drain('upgrade', { nodes: ['n1'] });
    await story.pass(60);
    const count = async () => {
      const { world } = story;
      const before = { requests: world.requests, watches: world.watches, writes: world.writes.length };
      await story.pass(1800);
      return {
        requests: world.requests - before.requests,
        watches: world.watches - before.watches,
        writes: world.writes.length - before.writes,
      };
    };
    const first = await count();
    const second = await count();
    // One eviction a half-minute or so; each watch is taken up again after five to ten minutes, by chance.
    expect(first.writes).toBeLessThanOrEqual(65);
    expect(Math.abs(second.writes - first.writes)).toBeLessThanOrEqual(2);
    // When it asks again is drawn: one half may have an eviction or two more, with all that goes with them.
    expect(Math.abs(second.requests - first.requests)).toBeLessThanOrEqual(first.requests / 20);
    expect(Math.abs(second.watches - first.watches)).toBeLessThanOrEqual(first.watches / 4);
    expect(story.world.writes.slice(-50).filter((write) => !write.endsWith('/eviction'))).toEqual([]);
  });
});

describe('pods that are guarded', () => {
  test('are left to their cluster, which was asked by the drain, and then the node is drained', async () => {
    const story = await drainStory({ nodes: 9 });
    await story.world.create(key, foundationdb);
    expect(await story.world.until(() => story.world.isAtRest(key), 300)).toBe(true);
    const row = (await story.world.status(key)).processGroups.find(({ role }) => role === 'storage');
    const node = row?.nodeName ?? '';
    await story.drain('upgrade', { nodes: [node] });
    await story.pass(2);
    const [drained] = (await story.status('upgrade'))?.nodes ?? [];
    expect(drained?.phase).toBe('Draining');
    // Its controller was asked by the drain, and lets it go when and as it thinks right.
    const asks = (await story.world.status(key)).asks.filter(({ source }) => source === 'NodeDrain');
    expect(asks.map(({ by, process }) => [by, process])).toContainEqual(['upgrade', row?.processGroupID]);
    expect(await story.until('upgrade', 'Completed', 3600)).toBe(true);
    const { grants } = await story.world.status(key);
    expect(grants).toMatchObject([{ process: row?.processGroupID, askedBy: 'upgrade', exemption: null }]);
    expect(story.world.database(key).truth()).toMatchObject({ lost: [], brokenQuorums: [] });
  });

  test('say how far they are and when that ends, and that a deadline is too early for it', async () => {
    // So much that to move it takes half an hour.
    const story = await drainStory({ nodes: 9, database: { bytes: 2 ** 37, recoveryAgesBy: 10 } });
    const automationOptions = { waitBetweenRemovalsSeconds: 0 };
    await story.world.create(key, { ...foundationdb, automationOptions, drainPolicy: 'block-for-eviction' });
    expect(await story.world.until(() => story.world.isAtRest(key), 300)).toBe(true);
    await story.pass(70);
    const row = (await story.world.status(key)).processGroups.find(({ role }) => role === 'storage');
    const deadline = new Date(story.world.clock.now() + 1_200_000).toISOString();
    await story.drain('upgrade', { nodes: [row?.nodeName ?? ''], deadline });
    const slow = async () => (await story.reason('upgrade', 'DeadlineAtRisk')) === 'TooSlow';
    expect(await story.world.until(slow, 1_100)).toBe(true);
    const status = await story.status('upgrade');
    const waits = status?.nodes[0]?.waiting.find(({ pod }) => pod === `db/orders-${row?.processGroupID}`);
    expect(waits?.progressPercent).toBeGreaterThanOrEqual(5);
    expect(Date.parse(waits?.estimatedEnd ?? '')).toBeGreaterThan(Date.parse(deadline));
    expect(status?.estimateBasis).toContain(`db/orders-${row?.processGroupID} is the last`);
  });

  /** The storage server whose node is drained while it leaves, with a claim that does not go. */
  async function leavingWithItsClaimHeld(spec: StatefulClusterSpecInput) {
    const story = await drainStory({ nodes: 9, database: { bytes: 2 ** 30 } });
    await story.world.create(key, { ...spec, automationOptions: { waitBetweenRemovalsSeconds: 0 } });
    expect(await story.world.until(() => story.world.isAtRest(key), 300)).toBe(true);
    const row = (await story.world.status(key)).processGroups.find(({ role }) => role === 'storage');
    const [id, node] = [row?.processGroupID ?? '', row?.nodeName ?? ''];
    const claim = { namespace: 'db', name: `orders-${id}-data` };
    const hold = (finalizers: readonly string[] | null) =>
      story.world.people.patch(claims, claim, { type: 'merge', body: { metadata: { finalizers } } }, call);
    await hold(['example.com/backup']);
    await story.world.change(key, { processGroupsToRemove: [id] });
    await story.drain('upgrade', { nodes: [node] });
    return { story, id, node, claim, letGo: () => hold(null) };
  }

  test('are away when their volumes are, not with their pods', async () => {
    const { story, id, node, letGo } = await leavingWithItsClaimHeld(foundationdb);
    const waits = async () => (await story.says('upgrade')).includes(`${node} Draining 0 VolumesLeaving`);
    expect(await story.world.until(waits, 3600)).toBe(true);
    await story.pass(600);
    expect(await waits()).toBe(true);
    await letGo();
    // The engine is told to forget it ten quiet minutes later, which is no business of the node.
    expect(await story.until('upgrade', 'Completed', 60)).toBe(true);
    expect((await story.world.status(key)).processGroups.map(({ processGroupID }) => processGroupID)).toContain(id);
  });

  test('are away with their pods where their volumes can be used on any node, also while there is no other node for them', async () => {
    const { story, id, node, claim } = await leavingWithItsClaimHeld({ ...foundationdb, roles: onNetworkVolumes });
    const cordoned = { type: 'merge', body: { spec: { unschedulable: true } } } as const;
    for (let number = 1; number <= 9; number++)
      await story.world.people.patch(nodes, { name: `n${number}` }, cordoned, call);
    expect(await story.until('upgrade', 'Completed', 3600)).toBe(true);
    const row = (await story.world.status(key)).processGroups.find(({ processGroupID }) => processGroupID === id);
    expect(row).toMatchObject({ nodeName: node });
    expect(await story.world.people.find(claims, claim, call)).toBeDefined();
  });
});
