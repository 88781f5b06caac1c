import type { KeyText } from '../../kube/object.ts';
import type { Toleration } from '../../kube/resources.ts';
import {
  at,
  isObject,
  isString,
  type JsonObject,
  type JsonValue,
  listAt,
  numberAt,
  textAt,
} from '../api-server/json.ts';
import type { World } from '../api-server/world.ts';
import { type ConditionView, conditionsOf } from './condition-view.ts';
import { rememberedView } from './remembered-view.ts';
import { storedAs } from './resources.ts';
import { textsAt } from './texts.ts';

export interface OwnerView {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** What the controllers read of a pod. */
export interface PodView {
  readonly object: JsonObject;
  readonly key: KeyText;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly version: string;
  readonly generation: number;
  readonly created: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly finalizers: number;
  /** The end of its grace, once it is deleted. */
  readonly deletionTimestamp: string | undefined;
  readonly deletionGraceSeconds: number;
  /** The owner that controls it. */
  readonly controller: OwnerView | undefined;
  /** Empty until it is scheduled. */
  readonly nodeName: string;
  readonly priority: number;
  readonly tolerations: readonly Toleration[];
  /** Names of the claims that its volumes use. */
  readonly claims: readonly string[];
  readonly phase: string;
  readonly startTime: string;
  readonly conditions: readonly ConditionView[];
}

/** The pod as the controllers see it; the same for the same version. */
export const podView = rememberedView(readPod);

function readPod(object: JsonObject): PodView {
  const namespace = textAt(object, 'metadata', 'namespace');
  const name = textAt(object, 'metadata', 'name');
  return {
    object,
    key: `${namespace}/${name}`,
    namespace,
    name,
    uid: textAt(object, 'metadata', 'uid'),
    version: textAt(object, 'metadata', 'resourceVersion'),
    generation: numberAt(object, 'metadata', 'generation') ?? 0,
    created: textAt(object, 'metadata', 'creationTimestamp'),
    labels: textsAt(object, 'metadata', 'labels'),
    annotations: textsAt(object, 'metadata', 'annotations'),
    finalizers: listAt(object, 'metadata', 'finalizers').length,
    deletionTimestamp: textAt(object, 'metadata', 'deletionTimestamp') || undefined,
    deletionGraceSeconds: numberAt(object, 'metadata', 'deletionGracePeriodSeconds') ?? 0,
    controller: controllerOf(object),
    nodeName: textAt(object, 'spec', 'nodeName'),
    priority: numberAt(object, 'spec', 'priority') ?? 0,
    tolerations: listAt(object, 'spec', 'tolerations').map(tolerationOf),
    claims: listAt(object, 'spec', 'volumes')
      .map((volume) => textAt(volume, 'persistentVolumeClaim', 'claimName'))
      .filter((claim) => claim !== ''),
    phase: textAt(object, 'status', 'phase'),
    startTime: textAt(object, 'status', 'startTime'),
    conditions: conditionsOf(object),
  };
}

export function controllerOf(object: JsonObject): OwnerView | undefined {
  const found = listAt(object, 'metadata', 'ownerReferences').find((each) => at(each, 'controller') === true);
  if (!isObject(found)) return undefined;
  return {
    apiVersion: textAt(found, 'apiVersion'),
    kind: textAt(found, 'kind'),
    name: textAt(found, 'name'),
    uid: textAt(found, 'uid'),
  };
}

export function tolerationOf(value: JsonValue): Toleration {
  const seconds = numberAt(value, 'tolerationSeconds');
  const text = (name: 'key' | 'operator' | 'value' | 'effect') => {
    const found = at(value, name);
    return isString(found) ? { [name]: found } : {};
  };
  return {
    ...text('key'),
    ...text('operator'),
    ...text('value'),
    ...text('effect'),
    ...(seconds !== undefined && { tolerationSeconds: seconds }),
  };
}

/** Every pod, in the order of namespace and name. */
export function* podsOf(world: World, namespace?: string): Generator<PodView> {
  for (const { object } of world.store.collection(storedAs.pods).entries(namespace)) yield podView(object);
}

export function podAt(world: World, namespace: string, name: string): PodView | undefined {
  const found = world.store.collection(storedAs.pods).get(namespace, name);
  return found === undefined ? undefined : podView(found.object);
}

export const podsOnNode = (world: World, node: string): PodView[] =>
  [...podsOf(world)].filter((pod) => pod.nodeName === node);

/** Over for good: nothing of it runs any more. */
export const hasEnded = ({ phase }: PodView): boolean => phase === 'Succeeded' || phase === 'Failed';

export const isReady = ({ conditions }: PodView): boolean =>
  conditions.some(({ type, status }) => type === 'Ready' && status === 'True');

export const isDeleting = ({ deletionTimestamp }: PodView): boolean => deletionTimestamp !== undefined;
