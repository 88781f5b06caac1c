import type { Happening } from '../../src/embedded/simulation/happenings.ts';
import { runSeed } from '../../src/embedded/simulation/run-seed.ts';
import type { RunPlan, ScenarioName } from '../../src/embedded/simulation/scenarios.ts';
import { scenario, scenarioNames } from '../../src/embedded/simulation/scenarios.ts';
import { name } from '../../src/model/ids.ts';

const seeds = 25;
const day = 86_400;

/** Simulated cluster-days in a second of CPU, by scenario and by the size of the cluster. Nobody else plays these, so real time is the rival. */
export async function bench(): Promise<void> {
  await cost(scenario('core', 1));
  console.log(`simulate: one database on 9 nodes, ${seeds} seeds of each scenario, one thread`);
  for (const which of scenarioNames) {
    const cpu = await cost(...Array.from({ length: seeds }, (_, index) => scenario(which, index + 1)));
    console.log(`  ${which.padEnd(9)} ${perSecond(cpu)}, ${(cpu.seconds / seeds).toFixed(2)} s of CPU a run`);
  }
  console.log('simulate: a database that grows with its cluster, one node drained every 20 min');
  let before: number | undefined;
  for (const nodes of [9, 27, 81]) {
    const cpu = await cost(sized(nodes));
    const time = cpu.seconds / cpu.days;
    const growth = before === undefined ? '' : `; three times the nodes: ${(time / before).toFixed(1)} times the CPU`;
    console.log(`  ${String(nodes).padStart(3)} nodes ${perSecond(cpu)}${growth}`);
    before = time;
  }
}

interface Cost {
  readonly seconds: number;
  readonly days: number;
}

async function cost(...plans: readonly RunPlan[]): Promise<Cost> {
  const started = process.cpuUsage();
  let simulated = 0;
  for (const plan of plans) {
    const { simulatedSeconds, violation } = await runSeed(plan);
    if (violation !== undefined) throw new Error(`seed ${plan.seed}: ${violation.what}`);
    simulated += simulatedSeconds;
  }
  const { user, system } = process.cpuUsage(started);
  return { seconds: (user + system) / 1e6, days: simulated / day };
}

function perSecond({ seconds, days }: Cost): string {
  const rate = days / seconds;
  return `${rate.toFixed(2).padStart(6)} cluster-days a CPU-second, ${Math.round(rate * day).toLocaleString('en')} times real time`;
}

/** So many nodes, half as many data servers, and as many shards as nodes. */
function sized(nodes: number): RunPlan {
  const which: ScenarioName = 'core';
  const plan = scenario(which, 1);
  const count = Math.ceil(nodes / 2);
  const happenings = Array.from({ length: 6 }, (_, index): Happening => {
    return { what: 'drain', at: 600 + index * 1200, lasts: 1200, how: 'asked', nodes: [`n${index + 1}`] };
  });
  const { subject } = plan;
  if (subject.engine !== 'core') throw new Error(`${which} is not about the core`);
  const roles = subject.spec.roles.map((role) => (role.name === name('dbserver') ? { ...role, count } : role));
  return { ...plan, nodes, subject: { ...subject, shards: nodes, spec: { ...subject.spec, roles } }, happenings };
}
