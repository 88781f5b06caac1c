import type { ClusterSpec, RoleSpec } from '../../model/cluster-spec.ts';
import { name } from '../../model/ids.ts';
import { seconds } from '../../model/time.ts';
import type { SimulationOptions } from './run-seed.ts';

/** What a simulation plays. */
export const scenarioNames = ['drains', 'failures'] as const;
export type ScenarioName = (typeof scenarioNames)[number];

const role = (roleName: string, count: number): RoleSpec => ({
  name: name(roleName),
  count,
  dataTravels: 'auto',
  evictionRequires: [],
  shape: {
    idPrefix: '',
    publicIPSource: 'Pod',
    processesPerPod: 1,
    nodeSelector: {},
    claimSpecHash: 'claim-1',
    requests: {},
    limits: {},
    specHash: 'pod-1',
  },
});

/** A store of five data servers and three members of its agency, under ArangoDB's rules. */
const spec: ClusterSpec = {
  engine: 'arangodb',
  roles: [role('dbserver', 5), role('agent', 3)],
  drainPolicy: 'block-if-contains-last-replica',
  unitPolicies: [],
  trigger: 'Eviction',
  ownsPods: true,
  processGroupsToRemove: [],
  processGroupsToRemoveWithoutExclusion: [],
  cancelReplacements: [],
  replaceWhenResourcesRise: false,
  maxZonesWithUnavailablePods: null,
  podUpdateStrategy: 'Delete',
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
  },
  buggify: { crashLoop: [], emptyMonitorConf: false, noSchedule: [], blockRemoval: [] },
};

/** The run that a seed stands for. */
export function scenario(which: ScenarioName, seed: number): SimulationOptions {
  return { seed, spec, drains: 4, failures: which === 'failures' };
}
