import { spawn } from 'node:child_process';

/** How a program ended and what it wrote. */
export interface ProgramResult {
  /** Exit code; -1 when a signal ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Written to the program's standard input, which is closed afterwards; without it the input is empty. */
  readonly input?: string | undefined;
  readonly cwd?: string | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Ends the program with SIGTERM; the promise then rejects with an AbortError. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each piece of standard error as it comes. */
  readonly onStderr?: ((text: string) => void) | undefined;
}

/** Runs a program to its end. Resolves whatever its exit code; rejects only when it could not be started or was aborted. */
export function runProgram(file: string, args: readonly string[], options: RunOptions = {}): Promise<ProgramResult> {
  const { promise, resolve, reject } = Promise.withResolvers<ProgramResult>();
  const child = spawn(file, args, { cwd: options.cwd, env: options.env, signal: options.signal, stdio: 'pipe' });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    options.onStderr?.(text);
  });
  child.once('error', reject);
  child.once('close', (code) => resolve({ code: code ?? -1, stdout, stderr }));
  // A program that ends without reading its input closes the pipe; its exit code tells what happened, not this error.
  child.stdin.once('error', () => undefined);
  child.stdin.end(options.input ?? '');
  return promise;
}
