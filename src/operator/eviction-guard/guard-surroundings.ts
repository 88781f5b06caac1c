import type { ProcessGroup } from '../../model/process-group.ts';
import type { ReachablePod, Surroundings } from '../engine-room/engine-source.ts';
import type { Whereabouts } from '../stateful-cluster/surroundings.ts';
import type { Guard } from './guard.ts';
import { hostOf } from './host-of.ts';
import type { Member } from './members.ts';
import { groupIdOf } from './members.ts';

/** What the engine of a guard may ask about it. Pods that are away are still known by their names, and reached nowhere. */
export function guardSurroundings(
  { key, namespace, spec }: Pick<Guard, 'key' | 'namespace' | 'spec'>,
  members: readonly Member[],
  groups: readonly ProcessGroup[],
  { client, connections }: Omit<Whereabouts, 'pods'>,
): Surroundings {
  const reachable = members.map(({ view: { pod, addresses } }): ReachablePod => {
    return { name: pod.name, group: groupIdOf(pod.name), addresses, ready: pod.ready && pod.deletingSince === null };
  });
  const away = groups
    .filter(({ pod }) => pod === null)
    .map(({ id }): ReachablePod => ({ name: id, group: id, addresses: [], ready: false }));
  const pods = [...reachable, ...away];
  return {
    // Where none is named, it is the cluster file inside the pods that leads to the database.
    connectionString: () => (spec.engine.foundationdb?.connectionString === undefined ? '' : connections.known(key)),
    // One that is away is known by the addresses that the engine had of it, unless another pod has them now.
    groupAt: (host) =>
      reachable.find(({ addresses }) => addresses.includes(host))?.group ??
      groups.find(({ pod, addresses }) => pod === null && addresses.some((one) => hostOf(one) === host))?.id,
    pods: () => pods,
    run: (pod, options) => client.exec({ namespace, name: pod }, options),
  };
}
