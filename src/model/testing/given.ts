import type { ClusterSpec, RoleSpec } from '../cluster-spec.ts';
import { name } from '../ids.ts';
import type { Node } from '../node.ts';
import type { Claim, Pod, ProcessGroup } from '../process-group.ts';
import type { PodShape } from '../shape.ts';
import type { Ask, Grant, Snapshot } from '../snapshot.ts';
import type { Instant } from '../time.ts';
import { instant, seconds } from '../time.ts';
import type { EngineHealth, Process, Quorum, Replica, Topology, Unit } from '../topology.ts';

/** Builders for tests: each gives something healthy and uneventful, and takes what the test is about. */

/** Strings where the model has names, so that tests stay readable. */
type Loose<T> = T extends string & { readonly names: string } ? string : T;
type Given<T> = { readonly [K in keyof T]?: Loose<T[K]> };

const start = Date.UTC(2026, 10, 15);

/** So many seconds after midnight of the day on which all tests play. */
export const at = (secondsAfterStart: number): Instant => instant(start + secondsAfterStart * 1000);

export const givenShape = (given: Partial<PodShape> = {}): PodShape => ({
  idPrefix: '',
  publicIPSource: 'Pod',
  processesPerPod: 1,
  nodeSelector: {},
  claimSpecHash: 'claim-1',
  requests: { cpu: 1, memory: 1024 },
  limits: {},
  specHash: 'pod-1',
  ...given,
});

export const givenRole = (role: string, given: Partial<RoleSpec> = {}): RoleSpec => ({
  name: name(role),
  count: 0,
  dataTravels: 'auto',
  evictionRequires: [],
  shape: givenShape(),
  ...given,
});

export const givenSpec = (given: Partial<ClusterSpec> = {}): ClusterSpec => ({
  engine: 'foundationdb',
  roles: [],
  drainPolicy: 'block-if-contains-last-replica',
  unitPolicies: [],
  trigger: 'Eviction',
  ownsPods: true,
  processGroupsToRemove: [],
  processGroupsToRemoveWithoutExclusion: [],
  cancelReplacements: [],
  replaceWhenResourcesRise: false,
  maxZonesWithUnavailablePods: null,
  podUpdateStrategy: 'ReplaceTransactionSystem',
  deletionMode: 'Zone',
  removalMode: 'Zone',
  waitBetweenRemovals: seconds(60),
  maxConcurrentReplacements: null,
  maintenance: { use: false, time: seconds(600) },
  replacements: {
    enabled: true,
    failureDetectionTime: seconds(7200),
    maxConcurrentReplacements: 1,
    taints: [],
    taintReplacementTime: seconds(1800),
    maxTaintedZones: null,
    ...given.replacements,
  },
  buggify: { crashLoop: [], emptyMonitorConf: false, noSchedule: [], blockRemoval: [] },
  ...given,
});

export const givenPod = (pod: string, given: Given<Pod> = {}): Pod => ({
  name: pod,
  resourceVersion: '1',
  phase: 'Running',
  ready: true,
  createdAt: at(-86_400),
  restartedAt: null,
  crashing: false,
  deletingSince: null,
  unschedulable: null,
  broken: null,
  open: false,
  shape: givenShape(),
  wouldChange: false,
  ...given,
  uid: name(given.uid ?? `uid-${pod}`),
  node: given.node === null ? null : name(given.node ?? `node-of-${pod}`),
});

export const givenClaim = (given: Given<Claim> = {}): Claim => ({
  specHash: 'claim-1',
  deleting: false,
  travels: false,
  ...given,
  uid: name(given.uid ?? 'uid-claim'),
});

/** `storage-1` is of the role storage and in the zone zone-1 unless told otherwise. */
export const givenGroup = (id: string, given: Given<ProcessGroup> = {}): ProcessGroup => ({
  addresses: [`10.0.0.${id.replace(/\D/g, '') || '1'}`],
  conditions: [],
  removal: null,
  evacuationAt: null,
  drainedAt: null,
  removingAt: null,
  taints: [],
  pod: givenPod(id),
  claim: givenClaim(),
  service: 'none',
  ...given,
  id: name(id),
  role: name(given.role ?? id.replace(/-\d+$/, '')),
  zone: given.zone === null ? null : name(given.zone ?? id.replace(/^.*-(?=\d+$)/, 'zone-')),
});

/** The process of the group of the same name. */
export const givenProcess = (id: string, given: Given<Process> = {}): Process => ({
  addresses: [`10.0.0.${id.replace(/\D/g, '') || '1'}`],
  responds: true,
  excluded: false,
  drained: false,
  startedAt: at(-86_400),
  ...given,
  id: name(id),
  group: given.group === null ? null : name(given.group ?? id),
  role: name(given.role ?? id.replace(/-\d+$/, '')),
  zone: given.zone === null ? null : name(given.zone ?? id.replace(/^.*-(?=\d+$)/, 'zone-')),
});

export const givenReplica = (process: string, given: Given<Replica> = {}): Replica => ({
  leader: false,
  state: 'healthy',
  inSync: true,
  running: true,
  movingAway: false,
  doomed: false,
  ...given,
  process: name(process),
});

/** A unit with a copy on each of these processes; the first one leads. */
export const givenUnit = (id: string, replicas: readonly (string | Replica)[], given: Partial<Unit> = {}): Unit => ({
  id: name(id),
  name: `unit ${id}`,
  labels: {},
  attached: true,
  replicas: replicas.map((replica, index) =>
    typeof replica === 'string' ? givenReplica(replica, { leader: index === 0 }) : replica,
  ),
  writeConcern: null,
  copying: null,
  unplaceable: null,
  ...given,
});

/** A quorum of these processes by majority; the first one leads. */
export const givenQuorum = (id: string, members: readonly string[], given: Partial<Quorum> = {}): Quorum => ({
  id: name(id),
  name: `quorum ${id}`,
  members: members.map((process) => ({ process: name(process), responds: true, inSync: true })),
  leader: members[0] === undefined ? null : name(members[0]),
  needed: Math.floor(members.length / 2) + 1,
  membersMove: false,
  ...given,
});

export const givenHealth = (given: Partial<EngineHealth> = {}): EngineHealth => ({
  available: true,
  fullyReplicated: true,
  toleranceLacks: [],
  zonesThatMayFail: 1,
  zonesForCopies: 1,
  secondsSinceRecovery: seconds(86_400),
  activeGenerations: 1,
  maintenance: 'off',
  caughtUp: true,
  ...given,
});

export const givenTopology = (given: Partial<Topology> = {}): Topology => ({
  observedAt: at(0),
  processes: [],
  units: [],
  quorums: [],
  health: givenHealth(),
  ...given,
});

export const givenNode = (node: string, given: Given<Node> = {}): Node => ({
  ready: true,
  cordoned: false,
  cordonedSince: null,
  taints: [],
  ...given,
  name: name(node),
  zone: given.zone === null ? null : name(given.zone ?? `zone-of-${node}`),
});

export const givenAsk = (group: string, given: Given<Ask> = {}): Ask => ({
  source: 'Eviction',
  by: 'jane',
  since: at(-10),
  lastSeen: at(0),
  force: null,
  wants: 'Pod',
  ...given,
  group: name(group),
  pod: name(given.pod ?? `uid-${group}`),
  node: given.node === null ? null : name(given.node ?? `node-of-${group}`),
});

export const givenGrant = (group: string, given: Given<Grant> = {}): Grant => ({
  grantedAt: at(-5),
  closedAt: null,
  goneAt: null,
  exemption: null,
  ...given,
  group: name(group),
  pod: name(given.pod ?? `uid-${group}`),
  node: given.node === null ? null : name(given.node ?? `node-of-${group}`),
});

export const givenSnapshot = (given: Partial<Snapshot> = {}): Snapshot => ({
  cluster: name('db/orders'),
  now: at(0),
  spec: givenSpec(),
  processGroups: [],
  nodes: null,
  topology: givenTopology(),
  grants: [],
  asks: [],
  jobs: [],
  nextGroupNumber: 1,
  lastRemovalAt: null,
  maintenance: null,
  share: { reserved: 'all', quota: null },
  ...given,
});
