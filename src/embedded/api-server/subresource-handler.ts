import { type Answer, jsonAnswer } from './answer.ts';
import { bind } from './binding.ts';
import { decodeObject, parseBody } from './decode-body.ts';
import type { Evictor } from './eviction.ts';
import { objectAt, textAt } from './json.ts';
import { keepServerMetadata, metadataOf } from './object-meta.ts';
import { scale } from './scale.ts';
import type { ApiRequest } from './server-request.ts';
import { methodNotAllowed, notFound } from './status-error.ts';
import type { World } from './world.ts';
import type { Admit, WriteRequest } from './write-request.ts';
import { isFinished, type Writer } from './writer.ts';

export interface SubresourceParts {
  readonly world: World;
  readonly writer: Writer;
  readonly evictor: Evictor;
  readonly admit: Admit;
}

/** The parts of objects that have paths of their own, except the status, which is a matter of updates. */
export class SubresourceHandler {
  readonly #parts: SubresourceParts;

  constructor(parts: SubresourceParts) {
    this.#parts = parts;
  }

  handle(request: ApiRequest, write: WriteRequest): Answer | Promise<Answer> {
    const { world, writer, evictor, admit } = this.#parts;
    const body = request.body ?? '';
    switch (write.subresource) {
      case 'eviction':
        if (request.method !== 'POST') throw methodNotAllowed();
        return evictor.evict(write, body);
      case 'binding':
        if (request.method !== 'POST') throw methodNotAllowed();
        return bind(world, admit, write, body);
      case 'scale':
        return scale(world, writer, write, {
          method: request.method,
          contentType: request.headers['content-type'] ?? '',
          body,
        });
      case 'finalize':
        if (request.method !== 'PUT') throw methodNotAllowed();
        return this.#finalize(write, body);
      default:
        throw methodNotAllowed();
    }
  }

  /** Replaces the finalizers of a namespace, which may be its end. */
  #finalize(write: WriteRequest, text: string): Answer {
    const { definition, name } = write;
    const { store } = this.#parts.world;
    const current = store.collection(definition.storage).get('', name);
    if (current === undefined) throw notFound(definition, name);
    const next = decodeObject(definition, parseBody(text, 'Namespace'), write);
    metadataOf(next)['name'] = name;
    keepServerMetadata(next, current.object);
    next['status'] = objectAt(current.object, 'status');
    // The response carries the version that was there.
    metadataOf(next)['resourceVersion'] = textAt(current.object, 'metadata', 'resourceVersion');
    if (!isFinished(definition, next, current.object))
      return jsonAnswer(200, store.put(definition.storage, next, current).object);
    store.remove(definition.storage, current);
    return jsonAnswer(200, next);
  }
}
