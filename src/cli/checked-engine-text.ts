import type { Observation } from '../engines/engine.ts';
import type { ContractHealth } from '../engines/http/contract.schema.ts';
import { count, list } from '../model/phrases.ts';
import type { Topology } from '../model/topology.ts';
import { plain } from './plain.ts';
import { table } from './table.ts';

/** What a server of the contract answered. */
export interface CheckedEngine extends Observation {
  readonly health: ContractHealth;
}

/** What Drover understands of a server, for the person who writes one: above all, what it does not say. */
export function checkedEngineText({ health, topology, jobs }: CheckedEngine): string {
  const { processes, units, quorums } = topology;
  const verbs = health.verbs.length === 0 ? 'no verb' : list(health.verbs, 10);
  const figures = [
    count(processes.length, 'process', 'processes'),
    count(units.length, 'unit'),
    count(quorums.length, 'quorum'),
    count(jobs.length, 'job'),
  ];
  const silent = unsaid(topology);
  return [
    plain(
      `${health.system ?? 'the server'} speaks the contract ${health.contract} and offers ${verbs}: ${list(figures, 4)}`,
    ),
    table(['PROCESS', 'ROLE', 'KIND', 'POD', 'COPIES', 'LEADS', 'SEATS'], processes.map(rowOf(topology))),
    ...(silent.length === 0 ? [] : [`Not said, so that Drover waits wherever it matters:\n${silent.join('\n')}`]),
  ].join('\n\n');
}

const rowOf =
  ({ units, quorums, kinds = {} }: Topology) =>
  ({ id, role, group }: Topology['processes'][number]): readonly string[] => {
    const copies = units.flatMap(({ replicas }) => replicas.filter(({ process }) => process === id));
    const seats = quorums.filter(({ members }) => members.some(({ process }) => process === id));
    const leads = copies.filter(({ leader }) => leader).length + seats.filter(({ leader }) => leader === id).length;
    const kind = Object.hasOwn(kinds, role) ? kinds[role] : undefined;
    const figures = [copies.length, leads, seats.length].map(String);
    return [...[id, role, kind ?? 'data', group ?? '(by address)'].map(plain), ...figures];
  };

const most = 20;

/** Every fact that is unknown, as its place in the answer. */
function unsaid(topology: Topology): readonly string[] {
  const { processes, units, quorums, health } = topology;
  const all = [
    ...unknownIn('health', health),
    ...processes.flatMap((process) => unknownIn(`process ${process.id}`, process)),
    ...units.flatMap((unit) => [
      ...unknownIn(unit.name, unit),
      ...unit.replicas.flatMap((replica) => unknownIn(`${unit.name} on ${replica.process}`, replica)),
    ]),
    ...quorums.flatMap((quorum) => [
      ...unknownIn(quorum.name, quorum),
      ...quorum.members.flatMap((member) => unknownIn(`${quorum.name}, member ${member.process}`, member)),
    ]),
  ];
  return all.length <= most ? all : [...all.slice(0, most), `  and ${all.length - most} more`];
}

function unknownIn(what: string, facts: object): readonly string[] {
  const fields = Object.entries(facts).flatMap(([field, value]) => (value === 'unknown' ? [field] : []));
  return fields.length === 0 ? [] : [plain(`- ${what}: ${fields.join(', ')}`).replace(/^/, '  ')];
}
