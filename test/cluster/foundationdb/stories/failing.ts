import { expect } from 'vitest';
import { pods } from '../../../../src/kube/resources.ts';
import { claims, services } from '../../../../src/operator/resources.ts';
import type { Story } from '../story.ts';
import type { StoryCluster } from '../story-cluster.ts';
import { eventually } from '../story-cluster.ts';

const call = { signal: new AbortController().signal };
const named = ({ namespace }: StoryCluster, id: string, suffix = '') => ({ namespace, name: `orders-${id}${suffix}` });

/** What makes each condition, for one process group, and for as long as it is there. */
const failures: readonly (Pick<Story, 'spec' | 'automatic' | 'ownNodes'> & {
  readonly condition: string;
  readonly make: (cluster: StoryCluster, id: string) => Promise<void> | void;
})[] = [
  {
    condition: 'MissingProcesses',
    make: async (cluster, id) => {
      cluster.cutOff(id);
      await cluster.lookedAt();
    },
  },
  { condition: 'PodFailing', make: (cluster, id) => cluster.fares(id, { ready: 'false' }) },
  {
    condition: 'MissingPod',
    make: async (cluster, id) => {
      await cluster.refuse('pods', named(cluster, id).name);
      // Its machine is cut off and goes on running the process, while Kubernetes has forgotten the pod.
      cluster.stage.pods.cutLoose(`${cluster.namespace}/orders-${id}`);
      await cluster.stage.people.delete(pods, named(cluster, id), { ...call, gracePeriodSeconds: 0 });
    },
  },
  {
    condition: 'MissingPVC',
    make: async (cluster, id) => {
      const claim = named(cluster, id, '-data');
      await cluster.refuse('persistentvolumeclaims', claim.name);
      await cluster.stage.people.delete(claims, claim, call);
      const body = { metadata: { finalizers: null } };
      await cluster.stage.people.patch(claims, claim, { type: 'merge', body }, call);
    },
  },
  {
    condition: 'MissingService',
    spec: { publicIPSource: 'Service' },
    make: async (cluster, id) => {
      await cluster.refuse('services', named(cluster, id).name);
      await cluster.stage.people.delete(services, named(cluster, id), call);
    },
  },
  {
    condition: 'PodPending',
    make: async (cluster, id) => {
      cluster.stage.pods.cutLoose(`${cluster.namespace}/orders-${id}`);
      await cluster.change({ buggify: { noSchedule: [id] } });
    },
  },
  {
    condition: 'ProcessIsMarkedAsExcluded',
    make: async (cluster, id) => {
      await cluster.database.fdbcli(['--exec', `exclude no_wait locality_instance_id:${id}`]);
      await cluster.lookedAt();
    },
  },
];

const detection = 200;

const replacedFor = ({ condition, make, ...given }: (typeof failures)[number]): Story => ({
  says: `a process group with ${condition} is replaced when it has had it long enough`,
  automatic: { failureDetectionTimeSeconds: detection },
  ...given,
  goes: async (cluster) => {
    const { id } = cluster.plain('storage');
    await make(cluster, id);
    await eventually(() => expect(cluster.ails(id)).toContain(condition));
    await eventually(() => expect(cluster.everMarked()).toEqual([id]));
    // What takes its time from here on is no failure.
    await cluster.change({ automationOptions: { replacements: { enabled: false } } });
    const { removalReason, removalTimestamp } = cluster.whenMarked(id) ?? {};
    expect(removalReason).toBe('Failed');
    const held = (Date.parse(removalTimestamp ?? '') - failedSince(cluster, id)) / 1000;
    expect(held).toBeGreaterThanOrEqual(detection);
    expect(held).toBeLessThan(detection + 60);
    expect(await cluster.tells('Failed', 'Mark Normal')).toEqual([expect.stringContaining(condition)]);
    await cluster.isGone(id);
    await eventually(() => expect(cluster.status.counts.available).toBe(7));
    await cluster.lostNothing();
  },
});

/** Since when it had failed when it was last seen unmarked. Others may have come with what was made; the oldest counts. */
function failedSince(cluster: StoryCluster, id: string): number {
  const rows = cluster.history.flatMap(({ status }) => status.processGroups);
  const last = rows.findLast((row) => row.processGroupID === id && row.removalTimestamp === null);
  return Math.min(...(last?.conditions ?? []).map(({ timestamp }) => Date.parse(timestamp)));
}

/** Until it has failed for so long that it would have been replaced twice. */
const outlasts = async (cluster: StoryCluster, id: string, condition: string) => {
  await eventually(() => expect(cluster.ails(id)).toContain(condition));
  await cluster.pass(2 * detection);
  expect(cluster.ails(id)).toContain(condition);
};

const exceptions: readonly Story[] = [
  {
    says: 'automatic replacement is off by default: what fails is shown, and nothing is marked',
    spec: { automationOptions: { replacements: { failureDetectionTimeSeconds: detection } } },
    goes: async (cluster) => {
      const { id } = cluster.plain('storage');
      await cluster.fares(id, { ready: 'false' });
      await outlasts(cluster, id, 'PodFailing');
      expect(cluster.everMarked()).toEqual([]);
      expect(cluster.ids()).toHaveLength(7);
      // Switched on later it counts from when the failure began.
      await cluster.change({ automationOptions: { replacements: { enabled: true } } });
      await eventually(() => expect(cluster.everMarked()).toEqual([id]));
      await cluster.isGone(id);
      await cluster.lostNothing();
    },
  },
  {
    says: 'switched on it waits 7200 s unless told otherwise',
    automatic: {},
    goes: async (cluster) => {
      const { id } = cluster.plain('storage');
      await cluster.fares(id, { ready: 'false' });
      await eventually(() => expect(cluster.waits(id)).toEqual(['FailureTooYoung']));
      const since = Date.parse(cluster.row(id)?.conditions[0]?.timestamp ?? '');
      expect(cluster.row(id)?.waitingFor[0]?.until).toBe(new Date(since + 7_200_000).toISOString());
      expect(cluster.everMarked()).toEqual([]);
    },
  },
  {
    says: 'one that crashes on purpose is not replaced, however long it fails; another one that fails is',
    automatic: { failureDetectionTimeSeconds: detection },
    goes: async (cluster) => {
      const { id } = cluster.plain('storage');
      const other = cluster.ids('log')[0] ?? '';
      await cluster.change({ buggify: { crashLoop: [id] } });
      await eventually(() => expect(cluster.pod(id)?.annotations['drover.dev/faults']).toBe('crash-loop'));
      await cluster.fares(other, { ready: 'false' });
      await outlasts(cluster, id, 'MissingProcesses');
      expect(cluster.waits(id)).toContain('CrashLoopOnPurpose');
      await cluster.tells('CrashLoopOnPurpose', 'Refuse Normal');
      await cluster.isGone(other);
      expect(cluster.everMarked()).toEqual([other]);
      await cluster.lostNothing();
    },
  },
  {
    says: 'with emptyMonitorConf nothing is replaced, whatever fails',
    automatic: { failureDetectionTimeSeconds: detection },
    goes: async (cluster) => {
      const ids = cluster.ids();
      await cluster.change({ buggify: { emptyMonitorConf: true } });
      const emptied = () =>
        cluster.pods().filter(({ annotations }) => annotations['drover.dev/faults'] === 'empty-monitor-conf');
      await eventually(() => expect(emptied().length).toBeGreaterThan(0));
      const failing = emptied()[0]?.labels['drover.dev/process-group'] ?? '';
      await cluster.fares(failing, { ready: 'false' });
      await outlasts(cluster, failing, 'PodFailing');
      expect(cluster.everMarked()).toEqual([]);
      expect(cluster.ids()).toEqual(ids);
      await cluster.tells('MonitorConfEmpty', 'Refuse Normal');
    },
  },
];

export const failing: readonly Story[] = [...failures.map(replacedFor), ...exceptions];
