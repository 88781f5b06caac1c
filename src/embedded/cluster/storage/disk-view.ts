import type { KeyText } from '../../../kube/object.ts';
import { at, type JsonObject, type JsonValue, listAt, textAt } from '../../api-server/json.ts';
import type { World } from '../../api-server/world.ts';
import { rememberedView } from '../remembered-view.ts';
import { storedAs } from '../resources.ts';
import { textsAt } from '../texts.ts';

/** The annotation by which the scheduler tells the provisioner for which node a disk is wanted. */
export const selectedNode = 'volume.kubernetes.io/selected-node';

export interface ClaimView {
  readonly object: JsonObject;
  readonly key: KeyText;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly version: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly storageClass: string;
  /** Empty until it is bound. */
  readonly volume: string;
  readonly phase: string;
  readonly isDeleting: boolean;
}

export const claimView = rememberedView(
  (object): ClaimView => ({
    object,
    key: `${textAt(object, 'metadata', 'namespace')}/${textAt(object, 'metadata', 'name')}`,
    namespace: textAt(object, 'metadata', 'namespace'),
    name: textAt(object, 'metadata', 'name'),
    uid: textAt(object, 'metadata', 'uid'),
    version: textAt(object, 'metadata', 'resourceVersion'),
    annotations: textsAt(object, 'metadata', 'annotations'),
    storageClass: textAt(object, 'spec', 'storageClassName'),
    volume: textAt(object, 'spec', 'volumeName'),
    phase: textAt(object, 'status', 'phase'),
    isDeleting: textAt(object, 'metadata', 'deletionTimestamp') !== '',
  }),
);

export interface VolumeView {
  readonly object: JsonObject;
  readonly name: string;
  readonly version: string;
  readonly phase: string;
  readonly isLocal: boolean;
  readonly isDeleting: boolean;
  readonly reclaim: string;
  readonly provisionedBy: string;
  readonly claim: { readonly namespace: string; readonly name: string; readonly uid: string } | undefined;
  /** Terms of node selectors of which one must match; undefined: any node. */
  readonly nodeTerms: readonly JsonValue[] | undefined;
}

export const volumeView = rememberedView((object): VolumeView => {
  const claim = at(object, 'spec', 'claimRef');
  const required = at(object, 'spec', 'nodeAffinity', 'required');
  return {
    object,
    name: textAt(object, 'metadata', 'name'),
    version: textAt(object, 'metadata', 'resourceVersion'),
    phase: textAt(object, 'status', 'phase'),
    isLocal: at(object, 'spec', 'local') !== undefined,
    isDeleting: textAt(object, 'metadata', 'deletionTimestamp') !== '',
    reclaim: textAt(object, 'spec', 'persistentVolumeReclaimPolicy'),
    provisionedBy: textsAt(object, 'metadata', 'annotations')['pv.kubernetes.io/provisioned-by'] ?? '',
    claim:
      claim === undefined
        ? undefined
        : { namespace: textAt(claim, 'namespace'), name: textAt(claim, 'name'), uid: textAt(claim, 'uid') },
    nodeTerms: required === undefined ? undefined : listAt(required, 'nodeSelectorTerms'),
  };
});

export function claimAt(world: World, namespace: string, name: string): ClaimView | undefined {
  const found = world.store.collection(storedAs.claims).get(namespace, name);
  return found === undefined ? undefined : claimView(found.object);
}

export function volumeAt(world: World, name: string): VolumeView | undefined {
  const found = world.store.collection(storedAs.volumes).get('', name);
  return found === undefined ? undefined : volumeView(found.object);
}

export interface StorageClassView {
  readonly provisioner: string;
  readonly waitsForConsumer: boolean;
  readonly reclaim: string;
}

export function storageClassAt(world: World, name: string): StorageClassView | undefined {
  const found = world.store.collection(storedAs.storageClasses).get('', name);
  if (found === undefined) return undefined;
  return {
    provisioner: textAt(found.object, 'provisioner'),
    waitsForConsumer: textAt(found.object, 'volumeBindingMode') === 'WaitForFirstConsumer',
    reclaim: textAt(found.object, 'reclaimPolicy') || 'Delete',
  };
}
