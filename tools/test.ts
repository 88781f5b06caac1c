/**
 * `npm test`: checks, unit tests, then the suites on the real control plane and behind them the simulation, each whether or not the others
 * passed. The last line counts everything. `npm test -- unit` runs one part; what follows it is given to vitest.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check } from './check.ts';
import { ensureControlPlane, ensureOlderKubectl } from './control-plane/build.ts';
import { ControlPlaneError } from './control-plane/errors.ts';
import type { Tally } from './step.ts';
import { add, run, tallyText } from './step.ts';

const parts: Readonly<Record<string, (args: readonly string[]) => Promise<Tally>>> = {
  check: () => check(),
  unit: (args) => vitest('unit', args),
  simulation: (args) => vitest('simulation', args),
  cluster: clusterSuites,
};

async function vitest(project: string, args: readonly string[], behind = false): Promise<Tally> {
  const folder = await mkdtemp(join(tmpdir(), 'drover-test-'));
  const report = join(folder, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const command = ['vitest', 'run', '--project', project, ...reporters, ...args];
    const { code, output } = await run(command, { live: !behind, behind });
    if (behind) process.stdout.write(output);
    return tallyOf(await readFile(report, 'utf8').catch(() => undefined), code);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A run that broke outside of its tests (no report, an unhandled rejection) is a failure that no test counts. */
function tallyOf(report: string | undefined, code: number): Tally {
  const counts: { numPassedTests?: number; numFailedTests?: number; numPendingTests?: number } = JSON.parse(
    report ?? '{}',
  );
  const { numPassedTests: passed = 0, numFailedTests = 0, numPendingTests: skipped = 0 } = counts;
  return { passed, failed: code !== 0 ? Math.max(1, numFailedTests) : numFailedTests, skipped };
}

async function clusterSuites(args: readonly string[]): Promise<Tally> {
  try {
    await ensureControlPlane();
    await ensureOlderKubectl();
  } catch (error) {
    if (!(error instanceof ControlPlaneError)) throw error;
    const suites = (await readdir('test/cluster')).filter((file) => file.endsWith('.test.ts')).length;
    console.log(`skipped: ${suites} suites on the real control plane: ${error.message}`);
    // A machine that is meant to check everything must not pass for having checked less.
    return process.env['CI'] === 'true'
      ? { passed: 0, failed: suites, skipped: 0 }
      : { passed: 0, failed: 0, skipped: suites };
  }
  return vitest('cluster', args);
}

const [chosen, ...args] = process.argv.slice(2);
if (chosen !== undefined && !(chosen in parts)) {
  console.error(`there is no part ${chosen}; choose one of ${Object.keys(parts).join(', ')}`);
  process.exit(2);
}
const tallies: Tally[] = [];
const part = chosen === undefined ? undefined : parts[chosen];
if (part !== undefined) tallies.push(await part(args));
else {
  tallies.push(await check(), await vitest('unit', args));
  // The suites on the control plane mostly wait: behind them the simulation has the machine to itself for most of the time.
  tallies.push(...(await Promise.all([clusterSuites(args), vitest('simulation', args, true)])));
}
const tally = add(tallies);
console.log(tallyText(tally));
process.exitCode = tally.failed > 0 ? 1 : 0;
