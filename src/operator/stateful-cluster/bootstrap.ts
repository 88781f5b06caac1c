import type { Engine } from '../../engines/engine.ts';
import { EngineRefused, EngineUnreachable } from '../../engines/engine.ts';
import { describeError } from '../../kube/error-description.ts';
import type { Instant } from '../../model/time.ts';
import { instant } from '../../model/time.ts';
import type { SetUpWait } from '../../model/topology.ts';
import type { Cluster } from './cluster.ts';
import type { ConnectionKeeper } from './connection-keeper.ts';
import type { CoordinatorCandidate } from './first-coordinators.ts';
import { firstCoordinators } from './first-coordinators.ts';

/** How far a new database is. */
export type BootstrapState =
  | { readonly is: 'up'; readonly since: Instant }
  /** Not yet, and what it waits for. */
  | { readonly is: 'coming'; readonly waitsFor: SetUpWait; readonly why: string };

export interface BootstrapParts {
  readonly cluster: Cluster;
  readonly engine: Engine;
  readonly connections: ConnectionKeeper;
  /** The process groups whose pods are ready. Only a database that is not up yet asks. */
  readonly ready: () => readonly CoordinatorCandidate[];
  readonly now: Instant;
}

/**
 * Brings a new database up, one step at a time: the first coordinators are chosen and written down, then the engine is told to create itself.
 * Each step is taken again until its result is seen. One that was up is never set up a second time, whatever became of it.
 */
export async function bootstrap(parts: BootstrapParts, signal: AbortSignal): Promise<BootstrapState> {
  const { cluster, engine, connections, ready, now } = parts;
  const since = cluster.status.bootstrapTimestamp;
  if (since !== null) return { is: 'up', since: instant(Date.parse(since)) };
  if (cluster.spec.engine.type === 'foundationdb' && (await connections.read(cluster, signal)) === null) {
    const first = firstCoordinators(cluster, ready());
    if ('waitsFor' in first) return { is: 'coming', waitsFor: 'coordinators', why: first.waitsFor };
    await connections.write(cluster, first.connectionString, signal);
  }
  try {
    await engine.bootstrap?.(signal);
    return { is: 'up', since: now };
  } catch (error) {
    if (!(error instanceof EngineUnreachable) && !(error instanceof EngineRefused)) throw error;
    const waitsFor = error instanceof EngineRefused ? 'refused' : 'answer';
    return { is: 'coming', waitsFor, why: describeError(error).message };
  }
}
