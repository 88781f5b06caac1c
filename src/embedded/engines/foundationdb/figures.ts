import { copiesOf } from './configuration.ts';
import type { FdbParts } from './fdb-parts.ts';

/** The figures that status and topology are made of, as the database believes them: a failure that it has not noticed is not in them. */
export interface Figures {
  readonly copies: number;
  readonly minReplicasRemaining: number;
  readonly fullReplication: boolean;
  /** How many zones may fail before data, or service, is lost. */
  readonly zonesForData: number;
  readonly zonesForService: number;
  readonly worstLag: number;
  /** Something is being moved, or should be. */
  readonly healing: boolean;
}

export function figuresOf({ state, coordinators, distribution, storage, transactions }: FdbParts): Figures {
  const copies = state.configuration === null ? 0 : copiesOf(state.configuration);
  const minReplicasRemaining = storage.ranges.length === 0 ? 0 : distribution.minReplicasRemaining();
  const { inFlight, inQueue } = distribution.movingBytes();
  const spare = Math.min(
    storage.ranges.length === 0 ? 0 : distribution.zonesToSpare(),
    transactions.zonesToSpareForData,
    coordinators.zonesToSpare,
  );
  const heard = storage.servers.filter((server) => storage.isHeard(server));
  const zonesForData = Math.max(0, spare);
  return {
    copies,
    minReplicasRemaining,
    fullReplication: minReplicasRemaining >= copies,
    zonesForData,
    zonesForService: Math.max(0, Math.min(zonesForData, transactions.zonesToSpareForService)),
    worstLag: Math.max(0, ...heard.map((server) => storage.lagOf(server))),
    healing: inFlight + inQueue > 0,
  };
}
