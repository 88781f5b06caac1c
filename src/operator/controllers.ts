import type { ControllerDefinition } from './controller.ts';
import { evictionGuardController } from './eviction-guard/controller.ts';
import { nodeDrainController } from './node-drain/controller.ts';
import { statefulClusterController } from './stateful-cluster/controller.ts';

/** Everything that the operator runs: all wiring is here. */
export const controllers: readonly ControllerDefinition[] = [
  statefulClusterController,
  evictionGuardController,
  nodeDrainController,
];
