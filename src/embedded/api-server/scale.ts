import { type Answer, jsonAnswer } from './answer.ts';
import { parseBody } from './decode-body.ts';
import { invalid, invalidValue } from './field-error.ts';
import {
  at,
  clone,
  isObject,
  isString,
  type JsonObject,
  type JsonValue,
  numberAt,
  objectAt,
  parseJson,
  textAt,
} from './json.ts';
import { jsonPatch } from './json-patch.ts';
import { formatLabelSelector } from './label-selector.ts';
import { mergePatch } from './merge-patch.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { badRequest, methodNotAllowed, notFound } from './status-error.ts';
import type { World } from './world.ts';
import type { WriteRequest } from './write-request.ts';
import type { Writer } from './writer.ts';

/** What the scale of an object is read from and written to. */
interface ScalePaths {
  readonly spec: readonly string[];
  readonly status: readonly string[];
  readonly selector: readonly string[] | undefined;
}

const ofWorkloads: ScalePaths = {
  spec: ['spec', 'replicas'],
  status: ['status', 'replicas'],
  selector: ['spec', 'selector'],
};

export interface ScaleRequest {
  readonly method: string;
  readonly contentType: string;
  readonly body: string;
}

/** The scale subresource: the number of replicas as an object of its own. */
export async function scale(world: World, writer: Writer, write: WriteRequest, request: ScaleRequest): Promise<Answer> {
  const { definition, namespace, name } = write;
  const paths = pathsOf(definition);
  const stored = world.store.collection(definition.storage).get(namespace, name);
  if (stored === undefined) throw notFound(definition, name);
  if (request.method === 'GET') return jsonAnswer(200, scaleOf(stored.object, paths));
  const { object } = await writer.update(write, (current) => {
    const wanted = wantedScale(scaleOf(current, paths), request);
    const replicas = numberAt(wanted, 'spec', 'replicas') ?? 0;
    if (replicas < 0) {
      const fault = invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0');
      throw invalid('Scale', 'autoscaling', name, [fault]);
    }
    const next = clone(current);
    objectAt(next, 'metadata')['resourceVersion'] = textAt(wanted, 'metadata', 'resourceVersion');
    setAt(next, paths.spec, replicas);
    return next;
  });
  return jsonAnswer(200, scaleOf(object, paths), write.warnings);
}

function pathsOf({ custom }: ResourceDefinition): ScalePaths {
  if (custom?.scale === undefined) return ofWorkloads;
  const steps = (path: string) => path.split('.').filter((step) => step !== '');
  const { spec, status, selector } = custom.scale;
  return { spec: steps(spec), status: steps(status), selector: selector === undefined ? undefined : steps(selector) };
}

function wantedScale(current: JsonObject, { method, contentType, body }: ScaleRequest): JsonValue {
  if (method === 'PUT') return parseBody(body, 'Scale');
  if (method !== 'PATCH') throw methodNotAllowed();
  const patch = parseJson(body);
  if (patch === undefined) throw badRequest('error decoding patch: unexpected end of JSON input');
  return contentType.startsWith('application/json-patch') ? jsonPatch(current, patch) : mergePatch(current, patch);
}

function scaleOf(object: JsonObject, paths: ScalePaths): JsonObject {
  const metadata = objectAt(object, 'metadata');
  const selector = paths.selector === undefined ? undefined : at(object, ...paths.selector);
  const text = isObject(selector) ? formatLabelSelector(selector, '') : isString(selector) ? selector : '';
  const kept = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp'];
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: Object.fromEntries(kept.flatMap((key) => (metadata[key] === undefined ? [] : [[key, metadata[key]]]))),
    spec: { ...nonZero('replicas', numberAt(object, ...paths.spec) ?? 0) },
    status: { replicas: numberAt(object, ...paths.status) ?? 0, ...(text !== '' && { selector: text }) },
  };
}

const nonZero = (name: string, value: number): JsonObject => (value === 0 ? {} : { [name]: value });

function setAt(object: JsonObject, path: readonly string[], value: JsonValue): void {
  let place = object;
  for (const step of path.slice(0, -1)) {
    const inner = place[step];
    if (isObject(inner)) place = inner;
    else {
      const made: JsonObject = {};
      place[step] = made;
      place = made;
    }
  }
  place[path.at(-1) ?? ''] = value;
}
