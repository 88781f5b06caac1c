import type { Clock } from '../kube/clock.ts';
import type { EngineSources } from './stateful-cluster/engine-source.ts';
import { foundationdbSource } from './stateful-cluster/foundationdb-source.ts';

/** The engines that ship with Drover. */
export const shippedEngines = (clock: Clock): EngineSources => ({ foundationdb: foundationdbSource(clock) });
