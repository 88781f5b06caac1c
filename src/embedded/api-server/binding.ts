import { type Answer, jsonAnswer, successStatus } from './answer.ts';
import { parseBody } from './decode-body.ts';
import { clone, type JsonObject, listAt, objectAt, textAt } from './json.ts';
import { requireNamespace } from './namespace-lifecycle.ts';
import { metadataOf } from './object-meta.ts';
import { badRequest, conflict, notFound, StatusError } from './status-error.ts';
import type { World } from './world.ts';
import type { Admit, WriteRequest } from './write-request.ts';

const bindingResource = { group: '', plural: 'pods/binding' };

/** Puts a pod on a node, as the scheduler does, after `BindingREST` in `pkg/registry/core/pod/storage`. */
export async function bind(world: World, admit: Admit, write: WriteRequest, text: string): Promise<Answer> {
  const binding = parseBody(text, 'Binding');
  const { definition, namespace, name } = write;
  if (textAt(binding, 'metadata', 'name') !== name)
    throw badRequest('name in URL does not match name in Binding object');
  const node = textAt(binding, 'target', 'name');
  if (node === '') throw new StatusError(500, '', 'target.name: Required value');
  requireNamespace(world, write, name);
  const pending = admit('CREATE', write, { ...binding, kind: 'Binding', apiVersion: 'v1' }, undefined);
  if (pending !== undefined) await pending;

  const current = world.store.collection(definition.storage).get(namespace, name);
  if (current === undefined) throw notFound(definition, name);
  const uid = textAt(binding, 'metadata', 'uid');
  if (uid !== '' && uid !== textAt(current.object, 'metadata', 'uid')) {
    const detail = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${textAt(current.object, 'metadata', 'uid')}`;
    const key = `/registry/pods/${namespace}/${name}`;
    throw conflict(
      definition,
      name,
      `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${detail}`,
    );
  }
  const refusal = whyNot(current.object);
  if (refusal !== undefined) throw conflict(bindingResource, name, refusal);
  if (!write.dryRun) world.store.put(definition.storage, bound(current.object, binding, node, world.now()), current);
  return jsonAnswer(201, { ...successStatus(), code: 201 }, write.warnings);
}

function whyNot(pod: JsonObject): string | undefined {
  const name = textAt(pod, 'metadata', 'name');
  const node = textAt(pod, 'spec', 'nodeName');
  if (textAt(pod, 'metadata', 'deletionTimestamp') !== '') {
    return `pod ${name} is being deleted, cannot be assigned to a host`;
  }
  if (node !== '') return `pod ${name} is already assigned to node "${node}"`;
  return listAt(pod, 'spec', 'schedulingGates').length > 0
    ? `pod ${name} has non-empty .spec.schedulingGates`
    : undefined;
}

function bound(pod: JsonObject, binding: JsonObject, node: string, now: string): JsonObject {
  const next = clone(pod);
  const metadata = metadataOf(next);
  for (const part of ['annotations', 'labels']) {
    const given = objectAt(binding, 'metadata', part);
    if (Object.keys(given).length > 0) metadata[part] = { ...objectAt(metadata, part), ...given };
  }
  next['spec'] = { ...objectAt(next, 'spec'), nodeName: node };
  const status = objectAt(next, 'status');
  delete status['nominatedNodeName'];
  const conditions = listAt(status, 'conditions').filter((each) => textAt(each, 'type') !== 'PodScheduled');
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: now };
  next['status'] = { ...status, conditions: [...conditions, scheduled] };
  return next;
}
