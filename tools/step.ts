import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { performance } from 'node:perf_hooks';

/** What one step of the checks or tests came to. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** What failed, by name, and how: told once more at the end, where whoever has only the last lines of a long run finds it. */
  readonly failures: readonly string[];
}

export interface Finished {
  readonly code: number;
  readonly output: string;
  readonly seconds: number;
}

export interface RunOptions {
  /** Shows the output as it comes; else it is only collected. */
  readonly live?: boolean;
  readonly env?: NodeJS.ProcessEnv;
  /** Everything else on the machine comes first. */
  readonly behind?: boolean;
}

/** Runs a command of this repository to its end. */
export function run(command: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const [program = '', ...args] = command;
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: { ...process.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (options.behind === true && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    const chunks: Buffer[] = [];
    const take = (chunk: Buffer) => {
      chunks.push(chunk);
      if (options.live === true) process.stdout.write(chunk);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('error', reject);
    child.once('close', (code) => {
      const output = Buffer.concat(chunks).toString();
      resolve({ code: code ?? 1, output, seconds: (performance.now() - started) / 1000 });
    });
  });
}

export function add(tallies: readonly Tally[]): Tally {
  return {
    passed: tallies.reduce((sum, { passed }) => sum + passed, 0),
    failed: tallies.reduce((sum, { failed }) => sum + failed, 0),
    skipped: tallies.reduce((sum, { skipped }) => sum + skipped, 0),
    failures: tallies.flatMap(({ failures }) => failures),
  };
}

/** Says what failed, and last of all the counts. */
export function conclude({ passed, failed, skipped, failures }: Tally): void {
  for (const failure of failures) console.log(`\n✗ ${failure}`);
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exitCode = failed > 0 ? 1 : 0;
}
