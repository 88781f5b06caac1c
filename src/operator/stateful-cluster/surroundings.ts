import type { Cluster } from './cluster.ts';
import type { ConnectionKeeper } from './connection-keeper.ts';
import type { EngineSurroundings } from './engine-source.ts';
import type { Recorded } from './recorded.ts';

/** What the engine of a cluster may ask about it, from what is on record. */
export function surroundingsOf(
  { key }: Cluster,
  { rows }: Pick<Recorded, 'rows'>,
  connections: ConnectionKeeper,
): EngineSurroundings {
  return {
    connectionString: () => connections.known(key),
    groupAt: (host) => rows.find(({ addresses }) => addresses.some((one) => hostOf(one) === host))?.id,
    leaves: (group) => rows.some(({ id, removal }) => id === group && removal !== null),
  };
}

const hostOf = (address: string): string => address.replace(/:\d+$/, '');
