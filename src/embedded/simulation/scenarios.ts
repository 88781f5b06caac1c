import { spec as specSchema } from '../../api/snapshot/spec.schema.ts';
import type { ClusterSpec } from '../../model/cluster-spec.ts';
import type { SimulationOptions } from './run-seed.ts';

/** What a simulation plays. */
export const scenarioNames = ['drains', 'failures'] as const;
export type ScenarioName = (typeof scenarioNames)[number];

const shape = { claimSpecHash: 'claim-1', specHash: 'pod-1' };

/** A store of five data servers and three members of its agency, under ArangoDB's rules. */
const spec: ClusterSpec = specSchema.parse({
  engine: 'arangodb',
  roles: [
    { name: 'dbserver', count: 5, shape },
    { name: 'agent', count: 3, shape },
  ],
  replacements: { enabled: true },
});

/** The run that a seed stands for. */
export function scenario(which: ScenarioName, seed: number): SimulationOptions {
  return { seed, spec, drains: 4, failures: which === 'failures' };
}
