import { spawn } from 'node:child_process';
import { performance } from 'node:perf_hooks';

/** What one step of the checks or tests came to. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface Finished {
  readonly code: number;
  readonly output: string;
  readonly seconds: number;
}

/** Runs a command of this repository to its end. `live` shows its output as it comes; else it is only collected. */
export function run(
  command: readonly string[],
  options: { live?: boolean; env?: NodeJS.ProcessEnv } = {},
): Promise<Finished> {
  const [program = '', ...args] = command;
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: { ...process.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
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
  };
}

export function tallyText({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
