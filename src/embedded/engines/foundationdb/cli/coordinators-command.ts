import { withoutFlags } from '../connection-string.ts';
import { coordinatorErrors } from '../coordinators.ts';
import { isAddress } from '../exclusions.ts';
import type { Command } from './command.ts';

/** `coordinators auto|<address>...`: without arguments names them. A change is a recovery, and is done when that is over. */
export const coordinatorsCommand: Command = async (words, { out, parts, signal, untilUp }) => {
  await untilUp();
  if (signal.aborted) return false;
  const { state, coordinators, transactions } = parts();
  const addresses = words.filter((word) => !word.startsWith('description=') && word !== '--no-config-db');
  if (addresses.length === 0) {
    out.print(`Cluster description: ${coordinators.connection?.description ?? ''}`);
    out.print(`Cluster coordinators (${coordinators.addresses.length}): ${coordinators.addresses.join(',')}`);
    out.print("Type `help coordinators' to learn how to change this information.");
    return true;
  }
  const byItself = addresses.length === 1 && addresses[0] === 'auto';
  const complaint = byItself ? undefined : complaintAbout(addresses);
  if (complaint !== undefined) {
    out.complain(complaint);
    // The real one ends with 0 here, having changed nothing.
    return true;
  }
  const refused = byItself ? coordinators.changeByItself() : coordinators.change(addresses);
  if (refused === coordinatorErrors.same) {
    out.print(refused);
    return true;
  }
  if (refused !== undefined) {
    out.complain(`ERROR: ${refused}`);
    return false;
  }
  state.happen(() => transactions.recover());
  await untilUp();
  if (!signal.aborted) out.print('Coordination state changed');
  return !signal.aborted;
};

function complaintAbout(addresses: readonly string[]): string | undefined {
  const wrong = addresses.find((address) => !isAddress(withoutFlags(address)) || !/:\d+/.test(address));
  if (wrong !== undefined) return `ERROR: '${wrong}' is not a valid network endpoint address`;
  const twice = addresses.find((address, index) => addresses.indexOf(address) !== index);
  return twice === undefined ? undefined : `ERROR: passed redundant coordinators: \`${twice}'`;
}
