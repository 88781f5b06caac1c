import type { Taint } from '../../kube/resources.ts';
import {
  at,
  isString,
  type JsonObject,
  type JsonValue,
  listAt,
  numberAt,
  objectAt,
  textAt,
} from '../api-server/json.ts';
import { parseQuantity } from '../api-server/quantity.ts';
import type { World } from '../api-server/world.ts';
import { type ConditionView, conditionOf, conditionsOf } from './condition-view.ts';
import { rememberedView } from './remembered-view.ts';
import { storedAs } from './resources.ts';
import { textsAt } from './texts.ts';

/** What the controllers read of a node. */
export interface NodeView {
  readonly object: JsonObject;
  readonly name: string;
  readonly version: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly unschedulable: boolean;
  readonly taints: readonly Taint[];
  /** What pods may ask for together, in thousandths. */
  readonly allocatable: ReadonlyMap<string, number>;
  readonly conditions: readonly ConditionView[];
  readonly address: string;
}

export const nodeView = rememberedView(readNode);

function readNode(object: JsonObject): NodeView {
  const addresses = listAt(object, 'status', 'addresses');
  return {
    object,
    name: textAt(object, 'metadata', 'name'),
    version: textAt(object, 'metadata', 'resourceVersion'),
    labels: textsAt(object, 'metadata', 'labels'),
    annotations: textsAt(object, 'metadata', 'annotations'),
    unschedulable: at(object, 'spec', 'unschedulable') === true,
    taints: listAt(object, 'spec', 'taints').map(taintOf),
    allocatable: amountsOf(objectAt(object, 'status', 'allocatable')),
    conditions: conditionsOf(object),
    address: textAt(
      addresses.find((each) => textAt(each, 'type') === 'InternalIP'),
      'address',
    ),
  };
}

function taintOf(value: JsonValue): Taint {
  const added = textAt(value, 'timeAdded');
  const text = textAt(value, 'value');
  return {
    key: textAt(value, 'key'),
    effect: textAt(value, 'effect'),
    ...(text !== '' && { value: text }),
    ...(added !== '' && { timeAdded: added }),
  };
}

/** Quantities by name, in thousandths. */
export function amountsOf(quantities: JsonObject): Map<string, number> {
  const amounts = new Map<string, number>();
  for (const [name, value] of Object.entries(quantities)) {
    const quantity = isString(value) || typeof value === 'number' ? parseQuantity(value) : undefined;
    if (quantity !== undefined) amounts.set(name, Number(quantity.milli));
  }
  return amounts;
}

/** Every node, by name. */
export const nodesOf = (world: World): NodeView[] =>
  [...world.store.collection(storedAs.nodes).entries()].map(({ object }) => nodeView(object));

export function nodeAt(world: World, name: string): NodeView | undefined {
  const found = world.store.collection(storedAs.nodes).get('', name);
  return found === undefined ? undefined : nodeView(found.object);
}

/** True, False or Unknown, as the node says; empty where nobody has said anything yet. */
export const readiness = (node: NodeView): string => conditionOf(node, 'Ready')?.status ?? '';

export const zoneOf = ({ labels }: NodeView): string => labels['topology.kubernetes.io/zone'] ?? '';

/** Changes with every write of the spec. */
export const generationOf = (object: JsonObject): number => numberAt(object, 'metadata', 'generation') ?? 0;
