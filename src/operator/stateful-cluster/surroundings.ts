import type { KubeClient } from '../../kube/client.ts';
import type { ProcessGroup } from '../../model/process-group.ts';
import type { ReachablePod, Surroundings } from '../engine-room/engine-source.ts';
import type { Cluster } from './cluster.ts';
import type { ConnectionKeeper } from './connection-keeper.ts';
import { objectNames } from './marks.ts';
import type { Recorded } from './recorded.ts';
import type { PodView } from './seen/pod.ts';

/** Where the engine of a cluster can look for it. */
export interface Whereabouts {
  readonly client: Pick<KubeClient, 'exec'>;
  readonly connections: Pick<ConnectionKeeper, 'known'>;
  /** The pods of the cluster. */
  readonly pods: () => readonly PodView[];
}

/** What the engine of a cluster may ask about it, from what is on record and from what is there. */
export function surroundingsOf(
  { key, namespace, name }: Cluster,
  { rows }: Pick<Recorded, 'rows'>,
  { client, connections, pods }: Whereabouts,
): Surroundings {
  /** A process whose pod is gone is still its group's, and not a stranger that stays: an engine may take a while to miss it. */
  const away = ({ id }: ProcessGroup): ReachablePod => {
    return { name: objectNames.pod(name, id), group: id, addresses: [], ready: false };
  };
  return {
    connectionString: () => connections.known(key),
    groupAt: (host) => rows.find(({ addresses }) => addresses.some((one) => hostOf(one) === host))?.id,
    pods: () => {
      const there = pods().flatMap(reachable);
      return [...there, ...rows.filter(({ id }) => !there.some(({ group }) => group === id)).map(away)];
    },
    run: (pod, options) => client.exec({ namespace, name: pod }, options),
  };
}

/** One that is on its way out may be asked as well, if no other answers. */
function reachable({ belonging, pod, addresses }: PodView): ReachablePod[] {
  if (belonging === undefined) return [];
  return [{ name: pod.name, group: belonging.group, addresses, ready: pod.ready && pod.deletingSince === null }];
}

const hostOf = (address: string): string => address.replace(/:\d+$/, '');
