/**
 * `npm test`: checks, unit tests, then the suites on the real control plane and behind them the simulation, each whether or not the others
 * passed. The last line counts everything. `npm test -- unit` runs one part; what follows it is given to vitest.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { check } from './check.ts';
import { ensureControlPlane, ensureOlderKubectl } from './control-plane/build.ts';
import { ControlPlaneError } from './control-plane/errors.ts';
import type { Tally } from './step.ts';
import { add, conclude, run } from './step.ts';

const parts: Readonly<Record<string, (args: readonly string[]) => Promise<Tally>>> = {
  check: () => check(),
  unit: (args) => vitest('unit', args),
  simulation: (args) => vitest('simulation', args),
  cluster: clusterSuites,
};

/** `unseen`: what it says is shown when it is over, because another part speaks meanwhile. `behind`: everything else on the machine comes first. */
interface Beside {
  readonly unseen?: true;
  readonly behind?: true;
}

/**
 * What everything that the tests start is told: programs in Go, the control plane above all, to collect their garbage less often, which they spend a tenth of
 * their time on; Node to keep what it compiled for the next time that it starts.
 */
const thrift = { GOGC: '400', NODE_COMPILE_CACHE: resolve('node_modules/.cache/drover') };

async function vitest(project: string, args: readonly string[], { unseen, behind }: Beside = {}): Promise<Tally> {
  const folder = await mkdtemp(join(tmpdir(), 'drover-test-'));
  const report = join(folder, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const command = ['vitest', 'run', '--project', project, ...reporters, ...args];
    const { code, output } = await run(command, { live: unseen !== true, behind: behind === true, env: thrift });
    if (unseen === true) process.stdout.write(output);
    return tallyOf(project, await readFile(report, 'utf8').catch(() => undefined), code);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The part of vitest's JSON report that counts here. */
interface Report {
  readonly numPassedTests?: number;
  readonly numPendingTests?: number;
  readonly testResults?: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Without the stack, and no whole snapshot as a counterexample: both stand further up. */
function brief(name: string, message: string): string {
  const said = message.split('\n').filter((line) => !/^\s+at /.test(line));
  return `${relative(process.cwd(), name)}\n${said.join('\n').slice(0, 2000)}`;
}

/** A run that broke outside of its tests (no report, an unhandled rejection) is a failure that no test counts. */
function tallyOf(project: string, text: string | undefined, code: number): Tally {
  const report: Report = JSON.parse(text ?? '{}');
  const failures = (report.testResults ?? []).flatMap(({ name, status, message, assertionResults }) => {
    const told = assertionResults
      .filter((test) => test.status === 'failed')
      .map((test) => brief(`${name} > ${test.fullName}`, test.failureMessages.join('\n')));
    return told.length > 0 || status !== 'failed' ? told : [brief(name, message)];
  });
  if (code !== 0 && failures.length === 0) failures.push(`${project}: ended with ${code}, outside of its tests`);
  const { numPassedTests: passed = 0, numPendingTests: skipped = 0 } = report;
  return { passed, failed: failures.length, skipped, failures };
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
      ? { passed: 0, failed: suites, skipped: 0, failures: [error.message] }
      : { passed: 0, failed: 0, skipped: suites, failures: [] };
  }
  // Stories that are told in both worlds run in both; where others were chosen there is nothing to tell in memory.
  const inMemory = vitest('embedded', ['--passWithNoTests', ...args], { unseen: true });
  return add(await Promise.all([vitest('cluster', args), inMemory]));
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
  tallies.push(
    ...(await Promise.all([clusterSuites(args), vitest('simulation', args, { unseen: true, behind: true })])),
  );
}
conclude(add(tallies));
