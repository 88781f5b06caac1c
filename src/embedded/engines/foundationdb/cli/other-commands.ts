import { seconds } from '../../../../kube/clock.ts';
import { formatConnectionString } from '../connection-string.ts';
import { statusOf } from '../status/status-json.ts';
import { unreachableStatus } from '../status/unreachable-status.ts';
import type { Command } from './command.ts';

/** `status [json|minimal]`: never waits. What the client cannot reach is missing from it. */
export const statusCommand: Command = ([level], { out, parts, reaches }) => {
  const all = parts();
  if (level === 'json') {
    const status =
      all.answers !== 'none' && (reaches() || all.coordinators.reachable().length > 0)
        ? statusOf(all, reaches())
        : unreachableStatus(all.coordinators.addresses);
    // The real one indents by four: what a simulation reads at every look need not be twice as long.
    out.print(JSON.stringify(status, null, 1));
  } else if (reaches() && all.transactions.isUp) out.print('The database is available.');
  else out.print("The database is unavailable; type `status' for more information.");
  return Promise.resolve(true);
};

/** `kill`: without arguments only learns who there is; with addresses these processes start anew. */
export const killCommand: Command = async (words, { out, parts, signal, untilUp }) => {
  await untilUp();
  if (signal.aborted) return false;
  if (words.length === 0) return true;
  const { state } = parts();
  const unknown = words.find((address) => state.workerAt(address) === undefined);
  if (unknown !== undefined) {
    out.complain(`ERROR: process \`${unknown}' not recognized.`);
    return false;
  }
  const processes = words.flatMap((address) => state.workerAt(address) ?? []);
  for (const { id } of processes) state.happen(() => state.table.stop(id));
  for (const process of processes) state.happen(() => state.table.start(process));
  out.print(`Attempted to kill ${processes.length} processes`);
  return true;
};

/** `sleep <seconds>`. */
export const sleepCommand: Command = async ([time = ''], { out, parts, signal }) => {
  if (!/^\d+(\.\d+)?$/.test(time)) {
    out.complain('Usage: sleep <SECONDS>');
    return false;
  }
  const { clock } = parts().state.options;
  await new Promise<void>((resolve) => {
    const wake = () => {
      timer.cancel();
      resolve();
    };
    const timer = clock.after(seconds(Number(time)), wake);
    signal.addEventListener('abort', wake, { once: true });
  });
  return !signal.aborted;
};

/** `get \xff/coordinators`: the connection string as the database has it. No other key is modelled. */
export const getCommand: Command = async ([key = ''], { out, parts, signal, untilUp }) => {
  await untilUp();
  if (signal.aborted) return false;
  const { connection } = parts().coordinators;
  if (key === '\\xff/coordinators' && connection !== null)
    out.print(`\`${key}' is \`${formatConnectionString(connection)}'`);
  else out.print(`\`${key}': not found`);
  return true;
};

export const optionCommand: Command = (_words, { out }) => {
  out.print('Option enabled for all transactions');
  return Promise.resolve(true);
};

export const writemodeCommand: Command = () => Promise.resolve(true);
