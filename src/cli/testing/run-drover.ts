import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** The command line itself. */
export const main = join(import.meta.dirname, '../main.ts');

export interface Ran {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** What Node itself is told. */
  readonly node?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
}

/** Runs the real command line in a process of its own, with its output in pipes. */
export async function runDrover(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { node = [], env = {}, input = '' } = options;
  const drover = spawn(process.execPath, [...node, main, ...args], { stdio: 'pipe', env: { ...process.env, ...env } });
  const exit = new Promise<number | null>((resolve, reject) => {
    drover.once('error', reject).once('close', resolve);
  });
  // One that fails before it reads its input has closed the pipe: that is no fault of the test.
  drover.stdin.on('error', () => undefined).end(input);
  const [exitCode, stdout, stderr] = await Promise.all([exit, text(drover.stdout), text(drover.stderr)]);
  return { exitCode, stdout, stderr };
}
