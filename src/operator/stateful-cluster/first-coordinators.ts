import { isIPv6 } from 'node:net';
import { mayFailTogether } from '../../engines/foundationdb/choose-coordinators.ts';
import type { ProcessGroupId, RoleName, Zone } from '../../model/ids.ts';
import type { Cluster } from './cluster.ts';
import { firstPort } from './manifests/fdbserver-script.ts';
import { hashOf } from './spec-hash.ts';

/** A process group whose pod is ready, with the address that others reach it by. */
export interface CoordinatorCandidate {
  readonly group: ProcessGroupId;
  readonly role: RoleName;
  /** null: not known. */
  readonly zone: Zone | null;
  /** An IP address; null: it has none yet. */
  readonly address: string | null;
}

export type FirstCoordinators =
  | { readonly connectionString: string; readonly groups: readonly ProcessGroupId[] }
  /** Not yet: too few zones have a pod that could be one. */
  | { readonly waitsFor: string };

type RedundancyMode = NonNullable<Cluster['spec']['engine']['foundationdb']>['redundancyMode'];

/** How many coordinators there are, as FoundationDB's own operator has it: enough to lose as many as copies. */
const counts: { readonly [mode in RedundancyMode]: number } = {
  single: 1,
  double: 3,
  triple: 5,
};

/** Roles with a disk to remember on, best first. */
const eligible = ['coordinator', 'log', 'transaction', 'storage', 'general'];

/**
 * The coordinators of a database that does not exist yet, and the connection string that names them. No two of them are in one zone; once every pod that
 * could be one is ready and there are too few zones all the same, no more than may fail together, as when they are chosen later. The same pods give the
 * same answer. Once the string is written it stands: choose again only where there is none.
 */
export function firstCoordinators(cluster: Cluster, ready: readonly CoordinatorCandidate[]): FirstCoordinators {
  const count = counts[cluster.spec.engine.foundationdb?.redundancyMode ?? 'double'];
  const fit = ready
    .filter(({ role }) => eligible.includes(role))
    .toSorted(byFitness)
    .flatMap(({ group, zone, address }) => (zone === null || address === null ? [] : [{ group, zone, address }]));
  const all = cluster.spec.roles.filter(({ name }) => eligible.includes(name));
  const isEveryoneThere = fit.length >= all.reduce((sum, role) => sum + role.count, 0);
  const seats: (typeof fit)[number][] = [];
  for (let crowd = 1; crowd <= (isEveryoneThere ? mayFailTogether(count) : 1); crowd++)
    for (const one of fit) {
      const company = seats.filter(({ zone }) => zone === one.zone).length;
      if (seats.length < count && company < crowd && !seats.includes(one)) seats.push(one);
    }
  if (seats.length < count) return { waitsFor: shortage(cluster, count, fit) };
  const addresses = seats.map(({ address }) => `${isIPv6(address) ? `[${address}]` : address}:${firstPort}`);
  return {
    connectionString: `${descriptionOf(cluster)}:${idOf(cluster)}@${addresses.join(',')}`,
    groups: seats.map(({ group }) => group),
  };
}

function byFitness(a: CoordinatorCandidate, b: CoordinatorCandidate): number {
  return eligible.indexOf(a.role) - eligible.indexOf(b.role) || inNumericOrder.compare(a.group, b.group);
}

/** `log-9` before `log-10`. */
const inNumericOrder = new Intl.Collator('en', { numeric: true });

function shortage({ spec }: Cluster, count: number, fit: readonly { readonly zone: Zone }[]): string {
  const zones = [...new Set(fit.map(({ zone }) => zone))].toSorted();
  const roles = spec.roles.map(({ name }) => name).filter((name) => eligible.includes(name));
  const where = zones.length === 0 ? 'none yet' : `${zones.length} (${zones.join(', ')})`;
  const among = roles.length === 0 ? `no role of the cluster can be one, add one of ${eligible.join(', ')}` : where;
  const least = Math.ceil(count / mayFailTogether(count));
  const enough = least < count ? `${count} zones, or in ${least} once every pod is ready` : `${count} zones`;
  return `a new database needs ${count} coordinators in ${enough}, by ${spec.faultDomain.key}; zones with a ready pod of ${roles.join(', ') || 'such a role'}: ${among}`;
}

/** Letters, digits and underscores are what a description may have. */
const descriptionOf = ({ name }: Cluster): string => name.replaceAll(/\W/g, '_');

/** Of this very object: a cluster that is deleted and made again is another database. */
const idOf = ({ uid }: Cluster): string => hashOf(uid).slice(0, 32);
