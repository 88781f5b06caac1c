import { group, version } from '../../api/kind.ts';
import { evictionGuard } from '../../api/kinds.ts';
import { jsonCodec } from '../../kube/codec.ts';
import type { KeyText, KubeObject } from '../../kube/object.ts';
import { keyText } from '../../kube/object.ts';
import type { Resource } from '../../kube/resource.ts';
import type { LabelSelector } from '../../kube/resources.ts';

/** An EvictionGuard as far as it is read without being checked. */
interface GuardObject extends KubeObject {
  readonly spec?: { readonly roles?: readonly { readonly selector?: LabelSelector }[] };
}

/** Where EvictionGuards live in the API. */
export const evictionGuards: Resource<KubeObject> = {
  group,
  version,
  kind: evictionGuard.kind,
  plural: evictionGuard.plural,
  namespaced: true,
};

/** What the controller keeps of an EvictionGuard to know when to look at it again. */
export interface GuardView {
  readonly key: KeyText;
  readonly version: string;
  readonly namespace: string;
  /** What people and deletions change; what Drover wrote into the status itself is not in it. */
  readonly asked: string;
  /** Which pods are its concern. */
  readonly selectors: readonly LabelSelector[];
}

export const viewCodec = jsonCodec<GuardObject, GuardView>(({ metadata, spec }) => ({
  key: keyText(metadata),
  version: metadata.resourceVersion ?? '',
  namespace: metadata.namespace ?? '',
  asked: JSON.stringify([metadata.generation, metadata.deletionTimestamp, metadata.annotations]),
  selectors: (spec?.roles ?? []).flatMap(({ selector }) => (selector === undefined ? [] : [selector])),
}));
