import { at, type JsonObject, listAt, objectAt, printed, textAt } from './json.ts';
import { addQuantities, formatQuantity, parseQuantity, type Quantity, zeroQuantity } from './quantity.ts';
import { forbidden } from './status-error.ts';
import type { World } from './world.ts';
import type { WriteRequest } from './write-request.ts';

/** How much of each named resource something uses. */
export type Usage = ReadonlyMap<string, Quantity>;

const one: Quantity = { milli: 1000n, format: 'decimal' };

/** Refuses what would go over a quota of its namespace, in the API server's words. */
export function checkQuota(world: World, write: WriteRequest, object: JsonObject): void {
  const { definition, namespace } = write;
  if (!definition.namespaced || write.subresource !== '') return;
  for (const { object: quota } of world.store.collection('resourcequotas').entries(namespace)) {
    const hard = objectAt(quota, 'spec', 'hard');
    const wanted = usageOf(definition.storage, object);
    const limited = Object.keys(hard)
      .filter((name) => wanted.has(name))
      .sort();
    if (definition.storage === 'pods') requireCompute(write, quota, hard, object);
    const used = namespaceUsage(world, namespace, Object.keys(hard));
    const over = limited.filter((name) => {
      const total = (used.get(name)?.milli ?? 0n) + (wanted.get(name)?.milli ?? 0n);
      return (wanted.get(name)?.milli ?? 0n) > 0n && total > (parseQuantity(printed(hard[name]))?.milli ?? 0n);
    });
    if (over.length === 0) continue;
    const list = (usage: (name: string) => string) => over.map((name) => `${name}=${usage(name)}`).join(',');
    throw forbidden(
      definition,
      textAt(object, 'metadata', 'name'),
      `exceeded quota: ${textAt(quota, 'metadata', 'name')}, requested: ${list((name) => text(wanted.get(name)))}, used: ${list((name) => text(used.get(name)))}, limited: ${list((name) => canonical(printed(hard[name])))}`,
    );
  }
}

const text = (quantity: Quantity | undefined) => formatQuantity(quantity ?? zeroQuantity);
const canonical = (value: string) => text(parseQuantity(value));

/** A quota on cpu or memory demands that every container says how much it wants. */
function requireCompute(write: WriteRequest, quota: JsonObject, hard: JsonObject, pod: JsonObject): void {
  const demanded = ['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'].filter(
    (name) => hard[name] !== undefined,
  );
  const missing = demanded.flatMap((name) => {
    const [kind = '', resource = kind] = name.split('.');
    const part = kind === 'limits' ? 'limits' : 'requests';
    const silent = listAt(pod, 'spec', 'containers')
      .filter((container) => at(container, 'resources', part, resource) === undefined)
      .map((container) => textAt(container, 'name'));
    return silent.length === 0 ? [] : [`${name} for: ${silent.join(',')}`];
  });
  if (missing.length === 0) return;
  throw forbidden(
    write.definition,
    textAt(pod, 'metadata', 'name'),
    `failed quota: ${textAt(quota, 'metadata', 'name')}: must specify ${missing.join('; ')}`,
  );
}

/** What one object uses, by the names that quotas have for it. */
function usageOf(storage: string, object: JsonObject): Usage {
  const usage = new Map<string, Quantity>();
  const add = (name: string, quantity: Quantity) =>
    usage.set(name, addQuantities(usage.get(name) ?? { ...zeroQuantity, format: quantity.format }, quantity));
  const [plural = '', ...group] = storage.split('.');
  add(group.length === 0 ? `count/${plural}` : `count/${storage}`, one);
  if (storage === 'pods') addPod(object, add);
  else if (storage === 'persistentvolumeclaims') addClaim(object, add);
  else if (counted.has(storage)) add(storage, one);
  return usage;
}

const counted = new Set(['services', 'secrets', 'configmaps', 'resourcequotas', 'replicationcontrollers']);

function addPod(pod: JsonObject, add: (name: string, quantity: Quantity) => void): void {
  const phase = textAt(pod, 'status', 'phase');
  if (phase === 'Failed' || phase === 'Succeeded') return;
  add('pods', one);
  for (const container of listAt(pod, 'spec', 'containers')) {
    for (const part of ['requests', 'limits']) {
      for (const [name, value] of Object.entries(objectAt(container, 'resources', part))) {
        const quantity = parseQuantity(printed(value));
        if (quantity === undefined) continue;
        add(`${part}.${name}`, quantity);
        if (part === 'requests') add(name, quantity);
      }
    }
  }
}

function addClaim(claim: JsonObject, add: (name: string, quantity: Quantity) => void): void {
  add('persistentvolumeclaims', one);
  const size = parseQuantity(textAt(claim, 'spec', 'resources', 'requests', 'storage'));
  if (size !== undefined) add('requests.storage', size);
  const storageClass = textAt(claim, 'spec', 'storageClassName');
  if (storageClass === '') return;
  const prefix = `${storageClass}.storageclass.storage.k8s.io`;
  add(`${prefix}/persistentvolumeclaims`, one);
  if (size !== undefined) add(`${prefix}/requests.storage`, size);
}

/** What everything in a namespace uses of the named resources. */
export function namespaceUsage(world: World, namespace: string, names: readonly string[]): Usage {
  const total = new Map<string, Quantity>(names.map((name) => [name, zeroQuantity]));
  const storages = new Set(
    world.kinds
      .all()
      .filter((each) => each.namespaced)
      .map((each) => each.storage),
  );
  for (const storage of storages) {
    for (const { object } of world.store.collection(storage).entries(namespace)) {
      for (const [name, quantity] of usageOf(storage, object)) {
        const known = total.get(name);
        if (known !== undefined)
          total.set(name, {
            milli: known.milli + quantity.milli,
            format: known.milli === 0n ? quantity.format : known.format,
          });
      }
    }
  }
  return total;
}
