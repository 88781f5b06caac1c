import { processGroupConditions } from '../../src/api/v1alpha1/stateful-cluster.conditions.ts';
import { code, table } from './markdown.ts';

/** The part of the reference that lists what can be the matter with one process group. */
export function processGroupConditionsSection(): string {
  const rows = processGroupConditions.map(({ type, means, replaces }) => [code(type), means, replaces ? 'yes' : 'no']);
  return `## Conditions of a process group\n\n${table(['type', 'means', 'replaced automatically'], rows)}`;
}
