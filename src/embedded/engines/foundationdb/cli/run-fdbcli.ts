import type { Deadline } from '../../../../kube/clock.ts';
import { seconds } from '../../../../kube/clock.ts';
import type { ConnectionString } from '../connection-string.ts';
import { clusterFileOf, formatConnectionString, parseConnectionString } from '../connection-string.ts';
import type { FdbParts } from '../fdb-parts.ts';
import type { Command, CommandContext } from './command.ts';
import { configureCommand } from './configure-command.ts';
import { coordinatorsCommand } from './coordinators-command.ts';
import { excludeCommand } from './exclude-command.ts';
import type { CliCall, CliResult } from './fdbcli-command-line.ts';
import { parseCommandLine, parseCommands } from './fdbcli-command-line.ts';
import { includeCommand } from './include-command.ts';
import { maintenanceCommand } from './maintenance-command.ts';
import {
  getCommand,
  killCommand,
  optionCommand,
  sleepCommand,
  statusCommand,
  writemodeCommand,
} from './other-commands.ts';
import { Output } from './output.ts';

const commands: Readonly<Record<string, Command>> = {
  configure: configureCommand,
  coordinators: coordinatorsCommand,
  exclude: excludeCommand,
  get: getCommand,
  include: includeCommand,
  kill: killCommand,
  maintenance: maintenanceCommand,
  option: optionCommand,
  sleep: sleepCommand,
  status: statusCommand,
  writemode: writemodeCommand,
};

/** After this the real one begins to complain, while it goes on waiting. */
const longDelay = seconds(5);

/** Runs the commands one after the other until one fails or the time is up. */
export async function runFdbcli(
  parts: () => FdbParts,
  argv: readonly string[],
  stdin: string,
  call: CliCall,
): Promise<CliResult> {
  const line = parseCommandLine(argv);
  if ('refused' in line) return { stdout: '', stderr: line.refused, code: 1 };
  const { version } = parts().state.options;
  if (line.version)
    return { stdout: `FoundationDB CLI ${version.replace(/\.\d+$/, '')} (v${version})\n`, stderr: '', code: 0 };
  const connection = call.clusterFile === undefined ? null : parseConnectionString(call.clusterFile);
  if (connection === undefined) return { stdout: '', stderr: 'ERROR: Connection string invalid (2104)\n', code: 1 };
  if (connection !== null) parts().coordinators.adopt(connection);

  const out = new Output();
  const limit = limited(parts, out, line.timeout, call.signal);
  const context = contextOf(parts, out, limit.signal, connection);
  const done = await runAll(parseCommands(line.exec ?? stdin), context);
  limit.dispose();
  const result = { stdout: out.stdout, stderr: out.stderr, code: done && !limit.signal.aborted ? 0 : 1 };
  const present = parts().coordinators.connection;
  const outdated =
    connection !== null &&
    present !== null &&
    context.reaches() &&
    formatConnectionString(connection) !== formatConnectionString(present);
  return outdated ? { ...result, clusterFile: clusterFileOf(present) } : result;
}

/** Aborted by `--timeout`, which fdbcli says aloud, or by Ctrl-C. */
function limited(parts: () => FdbParts, out: Output, timeout: number, interrupt: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const stop = () => controller.abort();
  const onTimeout = () => {
    out.complain('Specified timeout reached -- exiting...');
    stop();
  };
  const { clock } = parts().state.options;
  const timer = timeout === 0 ? undefined : clock.after(seconds(timeout), onTimeout);
  if (interrupt?.aborted === true) stop();
  interrupt?.addEventListener('abort', stop);
  return {
    signal: controller.signal,
    dispose() {
      timer?.cancel();
      interrupt?.removeEventListener('abort', stop);
    },
  };
}

/** `connection`: what the client's cluster file says; null: what the database itself would say. */
function contextOf(
  parts: () => FdbParts,
  out: Output,
  signal: AbortSignal,
  connection: ConnectionString | null,
): CommandContext {
  const reaches = (): boolean => {
    const { answers, coordinators } = parts();
    const found = connection === null || coordinators.knows(connection);
    return answers !== 'none' && found && coordinators.quorumReachable;
  };
  return { parts, out, signal, reaches, untilUp: () => untilUp(parts, out, reaches, signal) };
}

async function runAll(lines: readonly (readonly string[])[], context: CommandContext): Promise<boolean> {
  for (const [name = '', ...words] of lines) {
    const command = commands[name];
    if (command === undefined) context.out.complain(`ERROR: Unknown command \`${name}'. Try \`help'?`);
    if (command === undefined || !(await command(words, context)) || context.signal.aborted) return false;
  }
  return true;
}

async function untilUp(parts: () => FdbParts, out: Output, reaches: () => boolean, signal: AbortSignal): Promise<void> {
  const isUp = () => reaches() && parts().transactions.isUp;
  if (isUp() || signal.aborted) return;
  const { state, waiters } = parts();
  const complaint = state.options.clock.after(longDelay, () => {
    out.complain('\nWARNING: Long delay (Ctrl-C to interrupt)');
    out.print("The database is unavailable; type `status' for more information.");
  });
  await waiters.until(isUp, signal);
  complaint.cancel();
}
