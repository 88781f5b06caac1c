import type { ExecFileException } from 'node:child_process';
import { execFile } from 'node:child_process';
import { EngineUnreachable } from '../engine.ts';
import type { Fdbcli, FdbcliCall, FdbcliResult } from './fdbcli.ts';
import { mostPrinted } from './fdbcli.ts';

export interface LocalFdbcliOptions {
  /** The program, and what comes before fdbcli's own arguments: `['/usr/bin/fdb/7.3/fdbcli']`. */
  readonly command: readonly [program: string, ...first: string[]];
  /** Must be writable: the client library writes new coordinators into it, and without them loses the database one day. */
  readonly clusterFile: string;
  /** The surroundings of the program; TLS settings are in it. Default: ours. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** How much it may print before it is ended. Default: `mostPrinted`. */
  readonly mostBytes?: number;
}

/** These make fdbcli load other client libraries than its own, which a tool that runs for a second has no use for (research 4.1). */
const stripped: ReadonlySet<string> = new Set([
  'FDB_NETWORK_OPTION_EXTERNAL_CLIENT_DIRECTORY',
  'FDB_NETWORK_OPTION_EXTERNAL_CLIENT_LIBRARY',
  'FDB_NETWORK_OPTION_DISABLE_LOCAL_CLIENT',
  'FDB_NETWORK_OPTION_IGNORE_EXTERNAL_CLIENT_FAILURES',
  'FDB_NETWORK_OPTION_CLIENT_THREADS_PER_VERSION',
]);

/** Runs an fdbcli of this machine. No shell is involved, nothing is logged, and an abort ends the program at once. */
export function localFdbcli({
  command: [program, ...first],
  clusterFile,
  env = process.env,
  mostBytes = mostPrinted,
}: LocalFdbcliOptions): Fdbcli {
  const clean = Object.fromEntries(Object.entries(env).filter(([variable]) => !stripped.has(variable)));
  return (argv, call) =>
    new Promise((resolve, reject) => {
      const child = execFile(
        program,
        [...first, ...argv, '-C', clusterFile],
        {
          env: clean,
          signal: call.signal,
          timeout: 2 * call.timeoutSeconds * 1000,
          killSignal: 'SIGKILL',
          maxBuffer: mostBytes,
          encoding: 'utf8',
        },
        (error, stdout, stderr) => {
          const outcome = outcomeOf(error, { stdout, stderr }, program, call);
          if (outcome instanceof EngineUnreachable) reject(outcome);
          else resolve(outcome);
        },
      );
      // Without `--exec` it would wait for commands.
      child.stdin?.end();
    });
}

function outcomeOf(
  error: ExecFileException | null,
  output: { readonly stdout: string; readonly stderr: string },
  program: string,
  { signal, timeoutSeconds }: FdbcliCall,
): FdbcliResult | EngineUnreachable {
  if (error === null) return { exitCode: 0, ...output };
  if (signal.aborted)
    return new EngineUnreachable(`${program} was ended before its time, as asked`, { cause: signal.reason });
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
    return new EngineUnreachable(`${program} printed more than is believable and was ended`, { cause: error });
  if (typeof error.code === 'number') return { exitCode: error.code, ...output };
  if (typeof error.code === 'string')
    return new EngineUnreachable(
      `${program} could not be started (${error.code}): is fdbcli of the right version installed there?`,
      { cause: error },
    );
  return new EngineUnreachable(
    `${program} was ended by ${error.signal ?? 'a signal'}: it has twice ${timeoutSeconds} s, and memory as the container allows`,
    { cause: error },
  );
}
