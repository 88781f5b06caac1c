import { EngineRefused, EngineUnreachable } from '../engine.ts';
import { excerpt } from '../excerpt.ts';
import type { FdbcliResult } from './fdbcli.ts';

/**
 * What went wrong in a run of fdbcli; undefined: nothing. The exit code alone does not tell: `exclude nonsense` and `coordinators nonsense`
 * end with 0, having done nothing, so what was printed is read as well.
 */
export function troubleIn(
  command: string,
  { exitCode, stdout, stderr }: FdbcliResult,
): EngineRefused | EngineUnreachable | undefined {
  const printed = `${stderr}\n${stdout}`;
  if (printed.includes('Specified timeout reached'))
    return new EngineUnreachable(`\`${command}\` was not answered in time: whether it was heard is not known`);
  const errors = printed.split('\n').filter((line) => line.startsWith('ERROR:'));
  if (errors.length > 0) {
    const said = excerpt(errors.join(' '));
    return isDoubtful(said)
      ? new EngineUnreachable(`\`${command}\` got no answer: ${said}`)
      : new EngineRefused(`\`${command}\` was refused: ${said}`);
  }
  if (exitCode === 0) return undefined;
  if (/^Usage: /m.test(stdout))
    return new EngineRefused(`\`${command}\` is not understood by this fdbcli: ${excerpt(stdout)}`);
  const said = printed.trim() === '' ? 'without a word' : `with ${excerpt(printed)}`;
  return new EngineUnreachable(`\`${command}\` ended with exit code ${exitCode} ${said}`);
}

/** An error with a number comes from the client library, and tells nothing of what the database did (1021: it may or may not have committed). */
const isDoubtful = (said: string): boolean => /\(\d{4}\)|database is unavailable/.test(said);
