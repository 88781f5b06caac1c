import { hostOf, withoutFlags } from '../connection-string.ts';
import { isAddress, isLocality, matches } from '../exclusions.ts';
import type { FdbParts } from '../fdb-parts.ts';
import type { Command, CommandContext } from './command.ts';
import type { Output } from './output.ts';

interface Wish {
  readonly tokens: readonly string[];
  readonly wait: boolean;
  readonly failed: boolean;
  readonly force: boolean;
}

/** `exclude`: without arguments the list; otherwise adds to it, and waits until nothing is left on what was named. */
export const excludeCommand: Command = async (words, context) => {
  await context.untilUp();
  if (context.signal.aborted) return false;
  if (words.length === 0) return list(context.parts(), context.out);
  const wish = parse(words);
  const wrong = wish.tokens.find((token) => !isLocality(token) && !isAddress(token));
  if (wrong !== undefined) {
    context.out.complain(`ERROR: '${wrong}' is neither a valid network endpoint address nor a locality`);
    if (wrong.includes(':tls')) context.out.print("        Do not include the `:tls' suffix when naming a process");
    // The real one ends with 0 here, having excluded nothing.
    return true;
  }
  if (wish.tokens.length === 0) {
    context.out.complain('ERROR: At least one valid network endpoint address or a locality is not provided');
    return false;
  }
  return exclude(wish, context);
};

const parse = (words: readonly string[]): Wish => ({
  tokens: words.filter((word) => !['FORCE', 'no_wait', 'failed'].includes(word)),
  wait: !words.includes('no_wait'),
  failed: words.includes('failed'),
  force: words.includes('FORCE'),
});

async function exclude(wish: Wish, context: CommandContext): Promise<boolean> {
  const { out, parts, signal } = context;
  const { state, waiters } = parts();
  if (!wish.force && !isSafe(wish, parts(), out)) return false;
  // Localities are turned into the addresses of those that match now: one that matches nobody is not waited for.
  const named = wish.tokens.flatMap((token) => (isLocality(token) ? addressesOf(token, parts()) : [token]));
  const unmatched = wish.tokens.filter((token) => isLocality(token) && addressesOf(token, parts()).length === 0);
  state.happen(() => state.exclusions.exclude(wish.tokens, wish.failed));
  if (wish.wait) {
    out.print('Waiting for state to be removed from all excluded servers. This may take a while.');
    out.print('(Interrupting this wait with CTRL+C will not cancel the data movement.)');
    await waiters.until(() => context.reaches() && parts().transactions.isUp && none(named, parts()), signal);
    if (signal.aborted) return false;
  }
  report(named, unmatched, parts(), out);
  warnOfCoordinators(named, parts(), out);
  return true;
}

function isSafe({ tokens, failed }: Wish, { storage, distribution, state }: FdbParts, out: Output): boolean {
  const covered = storage.servers.filter(({ process }) => tokens.some((token) => matches(token, process)));
  if (failed && distribution.wouldLose(covered)) {
    out.complain('ERROR: It is unsafe to exclude the specified servers at this time.');
    out.complain("Type `exclude FORCE failed <ADDRESS...>' to exclude without performing safety checks.");
    return false;
  }
  const left = storage.servers.filter((server) => !covered.includes(server) && !state.isExcluded(server.process));
  if (failed || covered.length === 0 || left.length > 0) return true;
  out.complain('ERROR: This exclude may cause the total free space in the cluster to drop below 10%.');
  out.complain("Type `exclude FORCE <ADDRESS...>' to exclude without checking free space.");
  return false;
}

/** The addresses that still have state of the database on them, although they are excluded. Silent ones are known by their last address. */
function inProgress({ state, storage, transactions }: FdbParts): readonly string[] {
  const holders = [...storage.servers.map(({ process }) => process), ...transactions.logServers()];
  return holders.filter((process) => state.isExcluded(process)).map(({ address }) => withoutFlags(address));
}

const covers = (named: string, address: string): boolean => named === address || named === hostOf(address);

const none = (named: readonly string[], parts: FdbParts): boolean =>
  !inProgress(parts).some((address) => named.some((name) => covers(name, address)));

const addressesOf = (locality: string, { state }: FdbParts): readonly string[] =>
  state
    .workers()
    .filter((process) => matches(locality, process))
    .map(({ address }) => withoutFlags(address));

function report(named: readonly string[], unmatched: readonly string[], parts: FdbParts, out: Output): void {
  const workers = parts.state.workers().map(({ address }) => withoutFlags(address));
  const left = inProgress(parts);
  for (const name of named) {
    const whole = !/\d:\d+$/.test(name) && !name.includes(']:');
    const shown = whole ? `${name}(Whole machine)` : name;
    const noun = whole ? 'machine' : 'process';
    if (!workers.some((address) => covers(name, address)))
      out.complain(
        `  ${shown}  ---- WARNING: Missing from cluster!${whole ? '' : ' '}Be sure that you excluded the correct ${noun === 'machine' ? 'machines' : 'processes'} before removing them from the cluster!`,
      );
    else if (left.some((address) => covers(name, address)))
      out.complain(
        `  ${shown}  ---- WARNING: Exclusion in progress! It is not safe to remove this ${noun} from the cluster`,
      );
    else out.print(`  ${shown}  ---- Successfully excluded. It is now safe to remove this ${noun} from the cluster.`);
  }
  for (const locality of unmatched)
    out.complain(
      `  ${locality}  ---- WARNING: Currently no servers found with this locality match! Be sure that you excluded the correct locality.`,
    );
}

function warnOfCoordinators(named: readonly string[], { coordinators }: FdbParts, out: Output): void {
  const found = coordinators.addresses.filter((address) => named.some((name) => covers(name, withoutFlags(address))));
  for (const address of found) out.complain(`WARNING: ${address} is a coordinator!`);
  if (found.length === 0) return;
  out.print("Type `help coordinators' for information on how to change the");
  out.print("cluster's coordination servers before removing them.");
}

function list({ state }: FdbParts, out: Output): boolean {
  const excluded = state.exclusions.list('excluded');
  const failed = state.exclusions.list('failed');
  if (excluded.length + failed.length === 0) {
    out.print('There are currently no servers or localities excluded from the database.');
    out.print("To learn how to exclude a server, type `help exclude'.");
    return true;
  }
  out.print(`There are currently ${excluded.length} servers or localities being excluded from the database:`);
  for (const token of excluded) out.print(`  ${token}`);
  if (excluded.length > 0) {
    out.print('To find out whether it is safe to remove one or more of these');
    out.print("servers from the cluster, type `exclude <addresses>'.");
    out.print("To return one of these servers to the cluster, type `include <addresses>'.");
  }
  out.print('');
  out.print(`There are currently ${failed.length} servers or localities marked as failed in the database:`);
  for (const token of failed) out.print(`  ${token}`);
  if (failed.length > 0) out.print("To return one of these servers to the cluster, type `include failed <addresses>'.");
  return true;
}
