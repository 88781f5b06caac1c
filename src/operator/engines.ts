import type { KubeClient } from '../kube/client.ts';
import type { Clock } from '../kube/clock.ts';
import type { EngineSources } from './engine-room/engine-source.ts';
import { foundationdbSource } from './engine-room/foundationdb-source.ts';
import { httpSource } from './engine-room/http-source.ts';

/** What engines are made with. */
export interface EngineParts {
  readonly clock: Clock;
  /** For the Secrets that a connection names. */
  readonly client: KubeClient;
}

/** The engines that ship with Drover. */
export const shippedEngines = (parts: EngineParts): EngineSources => ({
  foundationdb: foundationdbSource(parts.clock),
  http: httpSource(parts),
});
