import { isAddress, isLocality } from '../exclusions.ts';
import type { Command } from './command.ts';
import { printUsage } from './usage.ts';

/** `include all|<address or locality>...`: they may hold data and roles again. Says nothing when it is done. */
export const includeCommand: Command = async (words, { out, parts, signal, untilUp }) => {
  if (words.length === 0) return printUsage('include', out);
  const failed = words.includes('failed');
  const tokens = words.filter((word) => word !== 'all' && word !== 'failed');
  const wrong = tokens.find((token) => !isLocality(token) && !isAddress(token));
  if (wrong !== undefined) {
    out.complain(`ERROR: '${wrong}' is neither a valid network endpoint address nor a locality`);
    if (wrong.includes(':tls')) out.print("        Do not include the `:tls' suffix when naming a process");
    return false;
  }
  await untilUp();
  if (signal.aborted) return false;
  const { state } = parts();
  state.happen(() => {
    if (words.includes('all')) state.exclusions.includeAll(failed);
    else state.exclusions.include(tokens, failed);
  });
  return true;
};
