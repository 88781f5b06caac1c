import { configured, copiesOf } from '../configuration.ts';
import type { Command } from './command.ts';
import { printUsage } from './usage.ts';

/** `configure [FORCE] [new] <option>...`: makes the database, or changes it by a recovery. */
export const configureCommand: Command = async (words, { out, parts, reaches, signal }) => {
  const force = words[0] === 'FORCE';
  const rest = force ? words.slice(1) : words;
  const isNew = rest[0] === 'new';
  const { state, storage, transactions, waiters } = parts();
  // Whether the database exists is asked of the coordinators.
  await waiters.until(reaches, signal);
  if (signal.aborted) return false;
  if (isNew && state.configuration !== null) {
    out.complain("ERROR: Database already exists! To change configuration, don't say `new'");
    return false;
  }
  const result = configured(isNew ? rest.slice(1) : rest, isNew ? null : state.configuration);
  if (!isNew && (state.configuration === null || !transactions.isUp)) {
    out.complain('ERROR: The database is unavailable');
    out.complain("Type `configure FORCE <TOKEN...>' to configure without this check");
    return false;
  }
  if (result.is === 'usage') return printUsage('configure', out);
  const { configuration } = result;
  if (!isNew && !force && storage.zonesForData() < copiesOf(configuration)) {
    out.complain('ERROR: Not enough processes exist to support the specified configuration');
    out.complain("Type `configure FORCE <TOKEN...>' to configure without this check");
    return false;
  }
  state.happen(() => {
    state.configuration = configuration;
    transactions.recover();
  });
  out.print(isNew ? 'Database created' : 'Configuration changed');
  return true;
};
