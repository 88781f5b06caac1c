import type { Target } from '../engine.ts';
import { EngineRefused } from '../engine.ts';
import type { Address } from './address.ts';
import { exclusionWord, isIp, overlap, parseAddress } from './address.ts';
import { localityWord } from './command-words.ts';
import type { ListedProcess } from './listed-process.ts';
import { listedProcesses } from './listed-process.ts';
import { runningVersion } from './running-version.ts';
import type { SoundStatus } from './sound-status.ts';
import { groupsOfTarget, processesOfTarget } from './target-processes.ts';
import { excludesByLocality } from './version.ts';

/**
 * What `exclude` is to be told for a process group: its locality, where the release is to be relied on for that (it holds wherever the pod
 * comes up next), otherwise the addresses of its processes. One that the database does not list is excluded by every address that it was
 * known by as well. Throws `EngineRefused` where nothing is known by which it alone could be meant.
 */
export function wordsToExclude(target: Target, status: SoundStatus): readonly string[] {
  const listed = listedProcesses(status.cluster.processes);
  const own = processesOfTarget(target, listed);
  const others = listed.filter((process) => !own.includes(process));
  const version = runningVersion(status);
  const byLocality = version !== undefined && excludesByLocality(version);
  const unnamed = own.filter(({ group }) => !byLocality || group === null).map(addressOf);
  const former = byLocality && own.length > 0 ? [] : formerAddresses(target);
  const addresses = [...unnamed, ...former];
  const words = [
    ...(byLocality ? groupsOfTarget(target, own).map(localityWord) : []),
    ...addresses.flatMap((address) => wordFor(address, others) ?? []),
  ];
  if (words.length > 0) return [...new Set(words)];
  const taken = addresses.map(exclusionWord).join(', ');
  throw new EngineRefused(
    `${target.group} is not excluded: ${taken === '' ? 'it is not listed and no address of it is known' : `others have its addresses now (${taken})`}`,
  );
}

function addressOf({ id, address }: ListedProcess): Address {
  if (address !== undefined && isIp(address)) return address;
  throw new EngineRefused(`${id} cannot be excluded: the status does not tell its IP address`);
}

function formerAddresses({ group, addresses }: Target): readonly Address[] {
  return addresses.map((text) => {
    const address = parseAddress(text);
    if (address !== undefined && isIp(address)) return address;
    throw new EngineRefused(`${group} cannot be excluded by ${JSON.stringify(text)}: that is no IP address`);
  });
}

/**
 * The whole host is meant, so that all processes of the pod leave (research 4.1), unless someone else is there too. Undefined where only
 * someone else can be meant: the address was given to another pod.
 */
function wordFor(address: Address, others: readonly ListedProcess[]): string | undefined {
  const host: Address = { host: address.host, port: null };
  const meansOthers = (meant: Address) =>
    others.some((other) => other.address !== undefined && overlap(meant, other.address));
  if (!meansOthers(host)) return exclusionWord(host);
  return address.port === null || meansOthers(address) ? undefined : exclusionWord(address);
}
