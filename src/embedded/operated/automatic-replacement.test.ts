import { describe, expect, test } from 'vitest';
import { pods } from '../../kube/resources.ts';
import { claims, services } from '../../operator/resources.ts';
import type { ClusterStory } from './testing/cluster-story.ts';
import { clusterUp, nothingLost } from './testing/cluster-story.ts';

const call = { signal: new AbortController().signal };
const named = (name: string) => ({ namespace: 'db', name });

describe('automatic replacement', () => {
  test('is off by default: what fails is shown, for hours, and nothing is marked', async () => {
    const story = await clusterUp();
    const { id } = await story.alone('storage');
    story.cutOff(id);
    await story.world.pass(7300);
    expect(await story.ails(id)).toEqual(['MissingProcesses']);
    expect(await story.marked()).toEqual([]);
    expect(await story.ids()).toHaveLength(12);
  });

  test('switched on it waits 7200 s unless told otherwise: not before, and then at once', async () => {
    const story = await clusterUp({ automationOptions: { replacements: { enabled: true } } });
    const { id } = await story.alone('storage');
    story.cutOff(id);
    expect(await story.world.until(async () => (await story.ails(id)).includes('MissingProcesses'), 120)).toBe(true);
    const since = Date.parse((await story.row(id))?.conditions[0]?.timestamp ?? '');
    expect((await story.row(id))?.waitingFor).toMatchObject([
      { code: 'FailureTooYoung', until: new Date(since + 7_200_000).toISOString() },
    ]);
    await story.world.pass((since + 7_200_000 - story.world.clock.now()) / 1000 - 1);
    expect(await story.marked()).toEqual([]);
    await story.world.pass(2);
    expect(await story.marked()).toEqual([id]);
    expect(await story.row(id)).toMatchObject({ removalReason: 'Failed' });
    expect(await story.events('Failed')).toMatchObject([{ action: 'Mark' }]);
  });

  test('switched on later it counts from when the failure began', async () => {
    const story = await clusterUp({ automationOptions: { replacements: { failureDetectionTimeSeconds: 600 } } });
    const { id } = await story.alone('storage');
    story.cutOff(id);
    await story.world.pass(700);
    expect(await story.marked()).toEqual([]);
    await story.change({ automationOptions: { replacements: { enabled: true } } });
    await story.world.pass(2);
    expect(await story.marked()).toEqual([id]);
  });
});

/** Its machine is cut off and goes on running the process, while Kubernetes has forgotten the pod. */
async function loseOnlyThePod(story: ClusterStory, id: string): Promise<void> {
  const pod = story.pod(id);
  story.world.cluster.isolateNode(pod?.nodeName ?? '');
  await story.world.pass(90);
  await story.world.people.delete(pods, named(`orders-${id}`), { ...call, gracePeriodSeconds: 0 });
}

/** What makes each condition, for one process group, and for as long as nobody mends it. */
const failures: readonly {
  readonly condition: string;
  readonly spec?: Parameters<typeof clusterUp>[0];
  readonly make: (story: ClusterStory, id: string) => Promise<void> | void;
}[] = [
  { condition: 'MissingProcesses', make: (story, id) => story.cutOff(id) },
  {
    condition: 'PodFailing',
    make: async (story, id) => {
      const body = { metadata: { annotations: { 'fake.drover.dev/ready': 'false' } } };
      await story.world.people.patch(pods, named(`orders-${id}`), { type: 'merge', body }, call);
    },
  },
  {
    condition: 'MissingPod',
    make: async (story, id) => {
      await story.allowNoMore('pods', 11);
      await loseOnlyThePod(story, id);
    },
  },
  {
    condition: 'MissingPVC',
    make: async (story, id) => {
      await story.allowNoMore('persistentvolumeclaims', 8);
      const claim = named(`orders-${id}-data`);
      await story.world.people.delete(claims, claim, call);
      await story.world.people.patch(claims, claim, { type: 'merge', body: { metadata: { finalizers: null } } }, call);
    },
  },
  {
    condition: 'MissingService',
    spec: { publicIPSource: 'Service' },
    make: async (story, id) => {
      await story.allowNoMore('services', 0);
      await story.world.people.delete(services, named(`orders-${id}`), call);
    },
  },
  {
    condition: 'PodPending',
    make: async (story, id) => {
      await loseOnlyThePod(story, id);
      await story.change({ buggify: { noSchedule: [id] } });
    },
  },
  {
    condition: 'ProcessIsMarkedAsExcluded',
    make: async (story, id) => {
      // Empty as it is it would be gone seconds after it was marked.
      await story.holdOn(id);
      await story.database.fdbcli(['--exec', `exclude no_wait locality_instance_id:${id}`]);
    },
  },
];

describe('a process group is replaced when it has long enough', () => {
  const keptMissing: ReadonlySet<string> = new Set(['MissingPod', 'MissingPVC', 'MissingService']);

  test.each(failures)('$condition: 600 s, not 590', async ({ condition, spec = {}, make }) => {
    const replacements = { enabled: true, failureDetectionTimeSeconds: 600 };
    // A quota keeps these objects missing. Where it is read, nothing is marked while it has no room for a successor either.
    const world = keptMissing.has(condition) ? { unreadable: ['resourcequotas'] } : {};
    const story = await clusterUp({ ...spec, automationOptions: { replacements } }, world);
    const { id } = await story.alone('storage');
    await make(story, id);
    const has = async () => (await story.ails(id)).includes(condition);
    expect(await story.world.until(has, 200)).toBe(true);
    const since = (await story.row(id))?.conditions.find(({ type }) => type === condition)?.timestamp ?? '';
    // Others may have come before it and count first.
    const first = Math.min(...((await story.row(id))?.conditions ?? []).map(({ timestamp }) => Date.parse(timestamp)));
    expect(first).toBe(Date.parse(since));
    await story.world.pass((first + 590_000 - story.world.clock.now()) / 1000);
    expect(await has()).toBe(true);
    expect(await story.marked()).toEqual([]);
    await story.world.pass(12);
    expect(await story.marked()).toEqual([id]);
    expect(await story.row(id)).toMatchObject({ removalReason: 'Failed' });
    expect((await story.events('Failed')).map(({ note }) => note)).toEqual([expect.stringContaining(condition)]);
    expect(story.database.truth()).toEqual(nothingLost);
  });
});
