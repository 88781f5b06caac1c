import { decodeObject, parseApplyBody } from './decode-body.ts';
import { invalid, required } from './field-error.ts';
import { isObject, type JsonObject, type JsonValue, parseJson } from './json.ts';
import { jsonPatch } from './json-patch.ts';
import { mergePatch } from './merge-patch.ts';
import { settleNamespace } from './object-meta.ts';
import { asServed } from './object-text.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { type AppliedOwnership, applyObject } from './server-side-apply.ts';
import { badRequest, notFound, StatusError, unsupportedMediaType } from './status-error.ts';
import { strategicMergePatch } from './strategic-merge-patch.ts';
import type { World } from './world.ts';
import type { WriteRequest } from './write-request.ts';
import type { Writer, Written } from './writer.ts';

export interface PatchRequest {
  readonly contentType: string;
  readonly body: string;
  /** As the query has it: an apply must say who applies. */
  readonly fieldManager: string;
  /** Of a server-side apply: take fields that others own. */
  readonly force: boolean;
}

type ApplyPatch = (current: JsonObject) => JsonValue;

/** Changes parts of objects: merge, JSON and strategic merge patches, and server-side apply. */
export class Patcher {
  readonly #world: World;
  readonly #writer: Writer;

  constructor(world: World, writer: Writer) {
    this.#world = world;
    this.#writer = writer;
  }

  patch(write: WriteRequest, request: PatchRequest): Promise<Written> {
    const type = request.contentType.split(';', 1)[0]?.trim() ?? '';
    if (type === 'application/apply-patch+yaml') return this.#apply(write, request);
    const apply = this.#applier(write.definition, type, request.body);
    return this.#writer.update(write, (current) => {
      const patched = apply(asServed(write.definition, current));
      if (!isObject(patched)) throw badRequest('the patch does not leave an object');
      return decodeObject(write.definition, patched, { ...write, patched });
    });
  }

  #applier(definition: ResourceDefinition, type: string, body: string): ApplyPatch {
    const patch = parseJson(body);
    switch (type) {
      case 'application/json-patch+json':
        if (patch === undefined) throw badRequest('error decoding patch: unexpected end of JSON input');
        return (current) => jsonPatch(current, patch);
      case 'application/merge-patch+json':
        if (!isObject(patch)) throw badRequest('Invalid JSON Patch');
        return (current) => mergePatch(current, patch);
      case 'application/strategic-merge-patch+json':
        if (definition.custom !== undefined) throw wrongType(definition);
        if (!isObject(patch)) throw badRequest('error decoding patch: unexpected end of JSON input');
        return (current) => strategicMergePatch(current, patch, definition.schema);
      default:
        throw wrongType(definition);
    }
  }

  #apply(write: WriteRequest, request: PatchRequest): Promise<Written> {
    const { definition, name, namespace } = write;
    if (request.fieldManager === '') throw applyNeedsManager();
    const body = parseApplyBody(request.body);
    const ownership: AppliedOwnership = {
      manager: write.manager,
      subresource: write.subresource,
      force: request.force,
      now: this.#world.now(),
    };
    const exists = this.#world.store.collection(definition.storage).get(namespace, name) !== undefined;
    if (!exists) {
      if (write.subresource !== '') throw notFound(definition, name);
      return this.#create(write, body, ownership);
    }
    let own: ((old: JsonObject, next: JsonObject) => void) | undefined;
    return this.#writer.update(
      write,
      (current) => {
        const applied = applyObject(definition, asServed(definition, current), body, ownership);
        own = applied.own;
        return decodeObject(definition, applied.object, { ...write, patched: applied.object });
      },
      (old, next) => own?.(old, next),
    );
  }

  #create(write: WriteRequest, body: JsonObject, ownership: AppliedOwnership): Promise<Written> {
    const { definition } = write;
    const applied = applyObject(definition, undefined, body, ownership);
    const decoded = decodeObject(definition, applied.object, { ...write });
    settleNamespace(decoded, write.namespace, definition);
    return this.#writer.createDecoded(write, decoded, (object) => applied.own(undefined, object));
  }
}

const applyNeedsManager = () =>
  invalid('PatchOptions', 'meta.k8s.io', '', [required('fieldManager', 'is required for apply patch')]);

function wrongType(definition: ResourceDefinition) {
  return definition.custom === undefined
    ? unsupportedMediaType('415: Unsupported Media Type')
    : new StatusError(
        415,
        'UnsupportedMediaType',
        'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
      );
}
