import { fc } from '@fast-check/vitest';
import type { ClusterSpec, EngineType } from '../cluster-spec.ts';
import { drainPolicies, engineTypes } from '../cluster-spec.ts';
import type { ProcessGroupId } from '../ids.ts';
import { name } from '../ids.ts';
import type { Node } from '../node.ts';
import { predicateNames } from '../role-rules.ts';
import type { MissingBudget, Snapshot } from '../snapshot.ts';
import { seconds } from '../time.ts';
import { arbitraryGroup } from './arbitrary-group.ts';
import { arbitraryTopology } from './arbitrary-topology.ts';
import { mostly, pastMoment, subsetOf, upTo } from './arbitrary-values.ts';
import { at, givenRole, givenShape, givenSpec } from './given.ts';

/** What a random snapshot may be like. All of it is optional: without, anything may happen. */
export interface SnapshotOptions {
  readonly engines?: readonly EngineType[];
  readonly maxGroups?: number;
  readonly maxUnits?: number;
  /** Without them every reference leads somewhere, nothing is listed twice, and no time lies ahead. */
  readonly contradictions?: boolean;
  /** Whether the engine may be out of reach. */
  readonly unreachable?: boolean;
  /** Whether single facts may be unknown. */
  readonly unknowns?: boolean;
}

const nodeNames = ['n1', 'n2', 'n3', 'n4'] as const;

const rolesOf: { readonly [engine in EngineType]: readonly [string, ...string[]] } = {
  foundationdb: ['storage', 'log', 'stateless', 'cluster_controller', 'test'],
  arangodb: ['dbserver', 'agent', 'coordinator', 'single', 'single-active-failover'],
  longhorn: ['instance-manager'],
  etcd: ['member'],
  redis: ['primary', 'replica'],
  http: ['worker', 'keeper'],
};

/** Any snapshot: small, mostly well, and with something of everything that can go wrong. Deterministic for a seed. */
export function arbitrarySnapshot(options: SnapshotOptions = {}): fc.Arbitrary<Snapshot> {
  const { engines = engineTypes, maxGroups = 5, contradictions = true } = options;
  return fc
    .record({
      engine: fc.constantFrom(...engines),
      roles: fc.array(fc.nat(contradictions ? 40 : 35), { minLength: 1, maxLength: maxGroups }),
    })
    .chain(({ engine, roles }) => {
      const groups = roles.map((pick, index) => `${roleOf(engine, pick)}-${index + 1}`);
      return arbitraryWorld(engine, groups, options);
    });
}

/** One number in forty names a role that no engine knows. */
function roleOf(engine: EngineType, pick: number): string {
  if (pick === 40) return 'mystery';
  const known = rolesOf[engine];
  return known[pick % known.length] ?? known[0];
}

function arbitraryWorld(engine: EngineType, ids: readonly string[], options: SnapshotOptions): fc.Arbitrary<Snapshot> {
  const names = ids.map((id) => name<ProcessGroupId>(id));
  const { contradictions = true } = options;
  return fc
    .record({
      spec: arbitrarySpec(engine, ids),
      processGroups: fc.tuple(...ids.map((id) => arbitraryGroup(id, nodeNames, { contradictions }))),
      nodes: mostly(fc.array(arbitraryNode, { minLength: 4, maxLength: 4 }), fc.constant(null), 4),
      topology: arbitraryTopology(ids, options),
      lost: mostly(fc.constant(0), fc.nat(nodeNames.length), 5),
      grants: mostly(fc.constant([]), fc.uniqueArray(arbitraryGrant(names), { maxLength: 3, selector: byGroup }), 2),
      asks: fc.array(arbitraryAsk(names), { maxLength: 3 }),
      jobs: upTo(2, arbitraryJob(names)),
      nextGroupNumber: fc.constant(ids.length + 1),
      lastRemovalAt: mostly(fc.constant(null), pastMoment, 2),
      maintenance: mostly(fc.constant(null), arbitraryMaintenance, 4),
      share: arbitraryShare(names),
      missingBudgets: mostly(fc.constant([]), fc.subarray(budgetsOf(ids)), 5),
    })
    .map(({ lost, nodes, missingBudgets, ...rest }) => ({
      cluster: name('db/orders'),
      now: at(0),
      ...rest,
      nodes: nodes === null ? null : named(nodes).filter((_, index) => index + 1 !== lost),
      ...(missingBudgets.length > 0 && { missingBudgets }),
    }));
}

/** The locks of the roles that there are. */
const budgetsOf = (ids: readonly string[]): MissingBudget[] =>
  [...new Set(ids.map((id) => id.replace(/-\d+$/, '')))].map((role) => ({
    role: name(role),
    budget: `drover-cluster-orders.${role}`,
    message: 'exceeded quota: objects',
  }));

const byGroup = ({ group }: { readonly group: ProcessGroupId }) => group;

/** The nodes n1 to n4, one of each. */
const named = (nodes: readonly Node[]): readonly Node[] =>
  nodes.map((node, index) => ({ ...node, name: name(nodeNames[index] ?? 'n1'), zone: name(`zone-${index + 1}`) }));

const arbitraryTaint = fc.record({
  key: fc.constantFrom('example.com/maintenance', 'example.com/ignored', 'node.kubernetes.io/unreachable'),
  effect: fc.constantFrom('NoSchedule' as const, 'PreferNoSchedule' as const, 'NoExecute' as const),
  timeAdded: mostly(fc.constant(null), pastMoment, 2),
});

/** Named `n1`; give it the name that it should have. */
const arbitraryNode: fc.Arbitrary<Node> = fc
  .record({
    ready: mostly(fc.constant(true), fc.constant(false), 8),
    cordonedSince: mostly(fc.constant(null), pastMoment, 3),
    taints: mostly(fc.constant([]), fc.uniqueArray(arbitraryTaint, { maxLength: 2, selector: ({ key }) => key }), 3),
  })
  .map((node) => ({ name: name('n1'), zone: name('zone-1'), cordoned: node.cordonedSince !== null, ...node }));

const arbitraryGrant = (groups: readonly ProcessGroupId[]) =>
  fc
    .record({
      group: fc.constantFrom(...groups),
      anotherPod: mostly(fc.constant(false), fc.constant(true), 8),
      grantedAt: pastMoment,
      closedAt: mostly(fc.constant(null), pastMoment, 2),
      goneAt: mostly(fc.constant(null), pastMoment, 2),
      exemption: mostly(fc.constant(null), fc.constant('jane: the disk is dead anyway'), 6),
    })
    .map(({ anotherPod, ...grant }) => ({
      ...grant,
      pod: name<Snapshot['grants'][number]['pod']>(anotherPod ? 'uid-before' : `uid-${grant.group}`),
      node: name<Node['name']>('n1'),
    }));

const arbitraryAsk = (groups: readonly ProcessGroupId[]) =>
  fc
    .record({
      group: fc.constantFrom(...groups),
      source: fc.constantFrom('Eviction' as const, 'NodeDrain' as const, 'Taint' as const, 'Cordon' as const),
      by: fc.constantFrom('jane', 'cluster-autoscaler'),
      since: pastMoment,
      lastSeen: pastMoment,
      force: mostly(fc.constant(null), fc.constant('the disk is dead anyway'), 8),
      wants: mostly(fc.constant('Pod' as const), fc.constant('Node' as const), 4),
    })
    .map((ask) => ({
      ...ask,
      pod: name<Snapshot['asks'][number]['pod']>(`uid-${ask.group}`),
      node: name<Node['name']>('n1'),
    }));

const arbitraryJob = (groups: readonly ProcessGroupId[]) =>
  fc.record({
    verb: fc.constantFrom(...(['HandOff', 'Evacuate', 'CancelEvacuation', 'Create', 'Evict'] as const)),
    group: fc.constantFrom(...groups),
    state: fc.constantFrom('Recorded' as const, 'Running' as const, 'Done' as const, 'Failed' as const),
    since: pastMoment,
    attempts: fc.nat(3),
    retryAt: fc.constantFrom(null, at(-10), at(0), at(30)),
    message: fc.constantFrom('', 'timed out'),
    percent: fc.constantFrom(null, 0, 62),
    secondsLeft: fc.constantFrom(null, seconds(240)),
  });

const arbitraryMaintenance = fc.record({
  zone: fc.constantFrom('zone-1', 'zone-2', 'zone-9').map((zone) => name<NonNullable<Node['zone']>>(zone)),
  since: pastMoment,
  until: fc.constantFrom(at(-1), at(0), at(1), at(300)),
});

const arbitraryShare = (groups: readonly ProcessGroupId[]): fc.Arbitrary<Snapshot['share']> =>
  fc.record({
    reserved: mostly(fc.constant('all' as const), subsetOf(groups), 3),
    quota: mostly(
      fc.constant(null),
      fc.constant({ message: 'exceeded quota: compute-resources', missing: { cpu: 1 } }),
      6,
    ),
  });

function arbitrarySpec(engine: EngineType, ids: readonly string[]): fc.Arbitrary<ClusterSpec> {
  const groups = ids.map((id) => name<ProcessGroupId>(id));
  const listed = mostly(fc.constant([]), subsetOf([...groups, name<ProcessGroupId>('storage-99')]), 4);
  const roles = [...new Set(ids.map((id) => id.replace(/-\d+$/, '')))];
  const batch = fc.constantFrom('Zone' as const, 'ProcessGroup' as const, 'All' as const);
  return fc
    .record({
      roles: fc.tuple(...roles.map((role) => arbitraryRole(role, ids))),
      drainPolicy: fc.constantFrom(...drainPolicies),
      unitPolicies: upTo(
        2,
        fc.record({
          matchLabels: fc.constantFrom<Readonly<Record<string, string>>>({}, { tier: 'gold' }, { tier: 'cache' }),
          drainPolicy: fc.constantFrom(...drainPolicies),
        }),
      ),
      trigger: fc.constantFrom('Eviction' as const, 'Cordon' as const),
      ownsPods: mostly(fc.constant(true), fc.constant(false), 3),
      processGroupsToRemove: listed,
      processGroupsToRemoveWithoutExclusion: listed,
      cancelReplacements: listed,
      replaceWhenResourcesRise: fc.boolean(),
      maxZonesWithUnavailablePods: fc.constantFrom(null, 0, 1, 2),
      podUpdateStrategy: fc.constantFrom('ReplaceTransactionSystem' as const, 'Replace' as const, 'Delete' as const),
      deletionMode: batch,
      removalMode: batch,
      maxConcurrentReplacements: fc.constantFrom(null, 0, 1, 2),
      maintenance: fc.record({ use: fc.boolean(), time: fc.constant(seconds(600)) }),
      replacements: arbitraryReplacements,
      buggify: fc.record({
        crashLoop: mostly(listed, fc.constant(['*' as const]), 8),
        emptyMonitorConf: mostly(fc.constant(false), fc.constant(true), 8),
        noSchedule: listed,
        blockRemoval: listed,
      }),
    })
    .map((given) => ({ ...givenSpec(), engine, ...given }));
}

const arbitraryRole = (role: string, ids: readonly string[]) => {
  const have = ids.filter((id) => id.replace(/-\d+$/, '') === role).length;
  return fc
    .record({
      change: mostly(fc.constant(0), fc.constantFrom(-1, 1), 2),
      dataTravels: mostly(fc.constant('auto' as const), fc.constantFrom('always' as const, 'never' as const), 2),
      evictionRequires: mostly(fc.constant([]), subsetOf(predicateNames, 2), 4),
      shape: mostly(
        fc.constant(givenShape()),
        fc.constantFrom(null, givenShape({ specHash: 'pod-2' }), givenShape({ claimSpecHash: 'claim-2' })),
        2,
      ),
    })
    .map(({ change, ...given }) => givenRole(role, { ...given, count: Math.max(0, have + change) }));
};

const arbitraryReplacements = fc.record({
  enabled: fc.boolean(),
  failureDetectionTime: fc.constant(seconds(7200)),
  maxConcurrentReplacements: fc.constantFrom(1, 0, 2),
  taints: fc.constantFrom<ClusterSpec['replacements']['taints']>(
    [],
    [{ key: 'example.com/maintenance', duration: seconds(3600) }],
    [
      { key: '*', duration: seconds(3600) },
      { key: 'example.com/ignored', duration: 'never' },
    ],
  ),
  taintReplacementTime: fc.constant(seconds(1800)),
  maxTaintedZones: fc.constantFrom(null, { count: 1 }, { percent: 50 }),
});
