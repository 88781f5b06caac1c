import type { ProcessId } from '../../../model/ids.ts';
import type { EngineProcess } from '../model-engine.ts';
import type { Configuration } from './configuration.ts';
import { copiesOf } from './configuration.ts';
import type { FdbState } from './fdb-state.ts';

/** Who will do what after a recovery. */
export interface Recruits {
  readonly logs: readonly EngineProcess[];
  readonly roles: ReadonlyMap<ProcessId, readonly string[]>;
}

/** How well a class is fit to be a log, as `ProcessClass::machineClassFitness` has it; the lower the better. */
const logFitness: Readonly<Record<string, number>> = { log: 0, transaction: 1, general: 2, storage: 3 };

/** From here on a class is taken only where the better ones do not suffice. */
const worstFit = 3;

/** How well a class is fit for the roles without data. */
const statelessFitness: Readonly<Record<string, number>> = {
  stateless: 0,
  cluster_controller: 0,
  proxy: 0,
  commit_proxy: 0,
  grv_proxy: 0,
  transaction: 1,
  log: 2,
  general: 2,
  storage: 3,
};

/** Nobody that is silent or to leave is recruited. Undefined: there are not enough. */
export function recruit(state: FdbState, configuration: Configuration): Recruits | undefined {
  const logs = recruitLogs(state, configuration);
  const stateless = fitFor(state, statelessFitness);
  const best = Math.min(...stateless.map(({ role }) => statelessFitness[role] ?? 9));
  const chosen = stateless.filter(({ role }) => statelessFitness[role] === best);
  if (logs === undefined || chosen.length === 0) return undefined;
  const roles = new Map<ProcessId, string[]>();
  statelessRoles(configuration).forEach((role, index) => {
    const process = chosen[index % chosen.length];
    if (process !== undefined) roles.set(process.id, [...(roles.get(process.id) ?? []), role]);
  });
  return { logs, roles };
}

/** As many logs as wished and possible, spread over the zones; undefined where the zones do not suffice for all copies. */
export function recruitLogs(state: FdbState, configuration: Configuration): readonly EngineProcess[] | undefined {
  const copies = copiesOf(configuration);
  const fit = fitFor(state, logFitness);
  const good = spread(fit.filter(({ role }) => (logFitness[role] ?? worstFit) < worstFit));
  const chosen = good.slice(0, Math.max(configuration.logs, copies));
  const zones = new Set(chosen.map(({ zone }) => zone));
  for (const process of fit) {
    if (zones.size >= copies) break;
    if (zones.has(process.zone)) continue;
    zones.add(process.zone);
    chosen.push(process);
  }
  return zones.size < copies ? undefined : chosen;
}

/** Whether other logs than these would be more, or better fit. */
export function areBetterLogs(logs: readonly EngineProcess[], than: readonly EngineProcess[]): boolean {
  const good = (some: readonly EngineProcess[]) =>
    some.filter(({ role }) => (logFitness[role] ?? worstFit) < worstFit).length;
  return good(logs) > good(than);
}

/** The n-th process of each zone comes after all (n-1)-th ones. */
function spread(processes: readonly EngineProcess[]): EngineProcess[] {
  const inZone = new Map<string, number>();
  return processes
    .map((process) => {
      const turn = inZone.get(process.zone) ?? 0;
      inZone.set(process.zone, turn + 1);
      return { process, turn };
    })
    .sort((a, b) => a.turn - b.turn)
    .map(({ process }) => process);
}

/** How many zones could have a log. */
export function zonesForLogs(state: FdbState): number {
  return new Set(fitFor(state, logFitness).map(({ zone }) => zone)).size;
}

function fitFor(state: FdbState, fitness: Readonly<Record<string, number>>): readonly EngineProcess[] {
  return state
    .workers()
    .filter((process) => fitness[process.role] !== undefined && !state.isExcluded(process))
    .sort((a, b) => (fitness[a.role] ?? 9) - (fitness[b.role] ?? 9));
}

/** Each is recruited once, proxies and resolvers as often as configured. */
function statelessRoles({ commitProxies, grvProxies, resolvers }: Configuration): readonly string[] {
  return [
    'cluster_controller',
    'master',
    'data_distributor',
    'ratekeeper',
    ...Array.from({ length: Math.max(1, commitProxies) }, () => 'commit_proxy'),
    ...Array.from({ length: Math.max(1, grvProxies) }, () => 'grv_proxy'),
    ...Array.from({ length: Math.max(1, resolvers) }, () => 'resolver'),
  ];
}
