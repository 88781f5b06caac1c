import type { ClusterSpec } from '../../model/cluster-spec.ts';
import type { ProcessGroupId } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import type { Node } from '../../model/node.ts';
import type { Claim, Pod, ProcessGroup } from '../../model/process-group.ts';
import type { PodShape } from '../../model/shape.ts';
import type { Job, Snapshot } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import { instant } from '../../model/time.ts';
import { textAt } from '../api-server/json.ts';
import type { World } from '../api-server/world.ts';
import { nodeView } from '../cluster/node-view.ts';
import type { PodView } from '../cluster/pod-view.ts';
import { isDeleting, isReady, podAt } from '../cluster/pod-view.ts';
import { storedAs } from '../cluster/resources.ts';
import type { ReplicatedStore } from '../engines/replicated-store/replicated-store.ts';
import type { Recorded } from './store-status.ts';

/** Where the pods of the simulated database live. */
export const namespace = 'db';

/** The snapshot of this moment: what is recorded, what the API server has, and what the engine says. */
export function observe(world: World, store: ReplicatedStore, spec: ClusterSpec, recorded: Recorded): Snapshot {
  const now = instant(world.clock.now());
  const processGroups = recorded.rows.map((row) => ({ ...row, ...objectsOf(world, row, spec) }));
  const uids = new Set(processGroups.map(({ pod }) => pod?.uid));
  return {
    cluster: name('db/store'),
    now,
    spec,
    processGroups,
    nodes: nodesOf(world),
    topology: store.topology(),
    grants: recorded.grants.map((grant) => ({ ...grant, goneAt: grant.goneAt ?? (uids.has(grant.pod) ? null : now) })),
    asks: recorded.asks.filter(({ pod }) => uids.has(pod)),
    jobs: [...engineJobs(store), ...recorded.forgotten.map((group) => forgetJob(group, now))],
    nextGroupNumber: recorded.nextGroupNumber,
    lastRemovalAt: recorded.lastRemovalAt,
    maintenance: recorded.maintenance,
    share: { reserved: 'all', quota: null },
  };
}

function engineJobs(store: ReplicatedStore): Job[] {
  return store.jobs().flatMap(({ verb, process, state, since, message }): Job[] => {
    if (state === 'Cancelled') return [];
    const retryAt = state === 'Failed' ? instant(since + 60_000) : null;
    return [{ ...unmeasured, verb, group: name(process), state, since, retryAt, message }];
  });
}

const unmeasured = { attempts: 1, percent: null, secondsLeft: null } as const;

const forgetJob = (group: ProcessGroupId, since: Instant): Job => ({
  ...unmeasured,
  verb: 'Forget',
  group,
  state: 'Done',
  since,
  retryAt: null,
  message: '',
});

function objectsOf(
  world: World,
  { id, role }: ProcessGroup,
  spec: ClusterSpec,
): Pick<ProcessGroup, 'pod' | 'claim' | 'service'> {
  const shape = spec.roles.find((one) => one.name === role)?.shape ?? null;
  const pod = podAt(world, namespace, id);
  return {
    pod: pod === undefined || shape === null ? null : podOf(pod, shape),
    claim: shape?.claimSpecHash === '' ? 'none' : claimOf(world, id),
    service: 'none',
  };
}

function podOf(view: PodView, shape: PodShape): Pod {
  const { name: podName, uid, version, nodeName, phase, created, conditions } = view;
  const unscheduled = conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  return {
    name: podName,
    uid: name(uid),
    resourceVersion: version,
    node: nodeName === '' ? null : name(nodeName),
    phase: phase === 'Running' || phase === 'Failed' || phase === 'Succeeded' ? phase : 'Pending',
    ready: isReady(view),
    createdAt: instant(Date.parse(created)),
    deletingSince: isDeleting(view)
      ? instant(Date.parse(view.deletionTimestamp ?? '') - view.deletionGraceSeconds * 1000)
      : null,
    unschedulable: unscheduled?.message ?? null,
    open: false,
    shape: { ...shape, specHash: view.annotations['sim.drover.dev/spec-hash'] ?? shape.specHash },
  };
}

function claimOf(world: World, id: string): Claim | null {
  const found = world.store.collection(storedAs.claims).get(namespace, id);
  if (found === undefined) return null;
  const { object } = found;
  return {
    uid: name(textAt(object, 'metadata', 'uid')),
    specHash: 'claim-1',
    deleting: textAt(object, 'metadata', 'deletionTimestamp') !== '',
    travels: false,
  };
}

function nodesOf(world: World): Node[] {
  return [...world.store.collection(storedAs.nodes).entries()].map(({ object }): Node => {
    const view = nodeView(object);
    return {
      name: name(view.name),
      zone: name(view.labels['topology.kubernetes.io/zone'] ?? 'nowhere'),
      ready: view.conditions.some(({ type, status }) => type === 'Ready' && status === 'True'),
      cordoned: view.unschedulable,
      cordonedSince: null,
      taints: view.taints.map(({ key, effect, timeAdded }) => ({
        key,
        effect: effect === 'NoExecute' || effect === 'PreferNoSchedule' ? effect : 'NoSchedule',
        timeAdded: timeAdded === undefined ? null : instant(Date.parse(timeAdded)),
      })),
    };
  });
}
