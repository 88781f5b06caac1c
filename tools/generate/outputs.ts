import { evictionGuard, nodeDrain, statefulCluster } from '../../src/api/kinds.ts';
import { rbacManifests, webhookManifests } from '../../src/operator/manifests.ts';
import { crdFile } from './crd-file.ts';
import { httpContractOpenApi, httpContractSchema } from './http-contract.ts';
import { kindReference } from './kind-reference.ts';
import { manifestFile } from './manifest-file.ts';
import type { Output } from './output.ts';
import { processGroupConditionsSection } from './process-group-conditions-section.ts';
import { reasonReference } from './reason-reference.ts';

/** Every generated file of the repository. */
export const outputs: readonly Output[] = [
  crdFile(statefulCluster),
  crdFile(evictionGuard),
  crdFile(nodeDrain),
  manifestFile('deploy/rbac.yaml', rbacManifests),
  manifestFile('deploy/webhook.yaml', webhookManifests),
  kindReference(statefulCluster, processGroupConditionsSection()),
  kindReference(evictionGuard),
  kindReference(nodeDrain),
  reasonReference(),
  httpContractSchema(),
  httpContractOpenApi(),
];
