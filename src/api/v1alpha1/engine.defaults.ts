import type { z } from 'zod';
import type { DeepReadonly } from '../deep-readonly.ts';
import { type clusterEngine, foundationdbCluster, foundationdbGuard, type guardEngine } from './engine.schema.ts';
import {
  arangodbConnection,
  etcdConnection,
  type httpConnection,
  longhornConnection,
  redisConnection,
} from './engine-connections.schema.ts';

type Of<S extends z.ZodType> = DeepReadonly<z.output<S>>;

type Choice<Type extends string, Options extends z.ZodType> = { readonly type: Type; readonly options: Of<Options> };

type SharedChoice =
  | Choice<'arangodb', typeof arangodbConnection>
  | Choice<'etcd', typeof etcdConnection>
  | Choice<'redis', typeof redisConnection>
  | Choice<'http', typeof httpConnection>;

/** The engine of a StatefulCluster and its options, with every default in place: one member, not five optional ones. */
export type ClusterEngineChoice = Choice<'foundationdb', typeof foundationdbCluster> | SharedChoice;

/** The engine of an EvictionGuard and its options, with every default in place: one member, not six optional ones. */
export type GuardEngineChoice =
  | Choice<'foundationdb', typeof foundationdbGuard>
  | Choice<'longhorn', typeof longhornConnection>
  | SharedChoice;

/** What a parsed `spec.engine` of a StatefulCluster chooses. */
export function chosenClusterEngine(engine: Of<typeof clusterEngine>): ClusterEngineChoice {
  if (engine.type !== 'foundationdb') return chosenShared({ ...engine, type: engine.type });
  return { type: engine.type, options: engine.foundationdb ?? foundationdbCluster.parse({}) };
}

/** What a parsed `spec.engine` of an EvictionGuard chooses. */
export function chosenGuardEngine(engine: Of<typeof guardEngine>): GuardEngineChoice {
  switch (engine.type) {
    case 'foundationdb':
      return { type: engine.type, options: engine.foundationdb ?? foundationdbGuard.parse({}) };
    case 'longhorn':
      return { type: engine.type, options: engine.longhorn ?? longhornConnection.parse({}) };
    default:
      return chosenShared({ ...engine, type: engine.type });
  }
}

type SharedEngine = { readonly type: SharedChoice['type'] } & {
  readonly [Each in SharedChoice as Each['type']]?: Each['options'] | undefined;
};

function chosenShared(engine: SharedEngine): SharedChoice {
  switch (engine.type) {
    case 'arangodb':
      return { type: engine.type, options: engine.arangodb ?? arangodbConnection.parse({}) };
    case 'etcd':
      return { type: engine.type, options: engine.etcd ?? etcdConnection.parse({}) };
    case 'redis':
      return { type: engine.type, options: engine.redis ?? redisConnection.parse({}) };
    default:
      // The schema refuses such an object; whoever gets here did not parse it.
      if (engine.http === undefined)
        throw new TypeError('engine.http is required for engine.type http; parse the object first');
      return { type: engine.type, options: engine.http };
  }
}
