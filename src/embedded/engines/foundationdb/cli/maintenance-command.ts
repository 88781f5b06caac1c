import type { Command } from './command.ts';
import { printUsage } from './usage.ts';

/** `maintenance [on <zone> <seconds>|off]`: without arguments tells what goes on. */
export const maintenanceCommand: Command = async (words, { out, parts, signal, untilUp }) => {
  const [verb, zone, time] = words;
  const on = words.length === 3 && verb === 'on' && zone !== undefined && /^\d+(\.\d+)?$/.test(time ?? '');
  if (words.length > 0 && !on && !(words.length === 1 && verb === 'off')) return printUsage('maintenance', out);
  await untilUp();
  if (signal.aborted) return false;
  const { state, maintenance } = parts();
  if (on) state.happen(() => maintenance.begin(zone, Number(time)));
  else if (verb === 'off') state.happen(() => maintenance.end());
  else if (maintenance.zone === null) out.print('No ongoing maintenance.');
  else
    out.print(
      `Maintenance for zone ${maintenance.zone} will continue for ${Math.floor(maintenance.secondsLeft)} seconds.`,
    );
  return true;
};
