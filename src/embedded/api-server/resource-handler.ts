import { type Answer, jsonAnswer, successStatus, textAnswer } from './answer.ts';
import { decodeObject, type FieldValidation, parseBody } from './decode-body.ts';
import { plainDelete, readDeleteOptions } from './delete-options.ts';
import type { Deleter } from './deleter.ts';
import { clone, isObject, type JsonObject, textAt } from './json.ts';
import { listPage } from './list.ts';
import { managerName } from './managed-fields.ts';
import { ObjectTexts } from './object-text.ts';
import type { Patcher } from './patcher.ts';
import { isDryRun, queryFlag, type RequestInfo } from './request-info.ts';
import { apiVersionOf, type ResourceDefinition } from './resource-definition.ts';
import { selectionOf } from './selection.ts';
import type { ApiRequest } from './server-request.ts';
import { badRequest, methodNotAllowed, noSuchResource, notFound } from './status-error.ts';
import type { SubresourceHandler } from './subresource-handler.ts';
import { partial, type TableRequest, tableOf, tableRow, wantedTransform } from './table-answer.ts';
import { startWatch } from './watch.ts';
import type { World } from './world.ts';
import type { WriteRequest } from './write-request.ts';
import type { Writer } from './writer.ts';

export interface HandlerParts {
  readonly world: World;
  readonly writer: Writer;
  readonly deleter: Deleter;
  readonly patcher: Patcher;
  readonly subresources: SubresourceHandler;
}

/** Answers requests for resources. Throws `StatusError` for every refusal. */
export class ResourceHandler {
  readonly #parts: HandlerParts;
  readonly #texts = new ObjectTexts();

  constructor(parts: HandlerParts) {
    this.#parts = parts;
  }

  handle(request: ApiRequest, warnings: string[]): Answer | Promise<Answer> {
    const { info, method } = request;
    const definition = this.#parts.world.kinds.find(info.group, info.version, info.plural);
    if (definition === undefined) throw noSuchResource();
    if (!definition.namespaced && info.namespace !== undefined) throw noSuchResource();
    if (info.subresource !== undefined && !definition.subresources.includes(info.subresource)) throw noSuchResource();
    if (info.name === undefined) return this.#onCollection(request, definition, warnings);
    if (definition.namespaced && info.namespace === undefined) throw methodNotAllowed();
    const write = this.#writeOf(request, definition, warnings);
    if (info.subresource !== undefined && info.subresource !== 'status') {
      return this.#parts.subresources.handle(request, write);
    }
    switch (method) {
      case 'GET':
        return this.#get(request, definition);
      case 'PUT':
        return this.#put(request, write);
      case 'PATCH':
        return this.#patch(request, write);
      case 'DELETE':
        if (info.subresource !== undefined) throw methodNotAllowed();
        return this.#delete(request, write);
      default:
        throw methodNotAllowed();
    }
  }

  #onCollection(request: ApiRequest, definition: ResourceDefinition, warnings: string[]): Answer | Promise<Answer> {
    switch (request.method) {
      case 'GET':
        return queryFlag(request.info.query, 'watch')
          ? this.#watch(request, definition)
          : this.#list(request, definition);
      case 'POST':
        if (definition.namespaced && request.info.namespace === undefined) throw methodNotAllowed();
        return this.#create(request, this.#writeOf(request, definition, warnings));
      case 'DELETE':
        if (definition.namespaced && request.info.namespace === undefined) throw methodNotAllowed();
        return this.#deleteCollection(request, this.#writeOf(request, definition, warnings));
      default:
        throw methodNotAllowed();
    }
  }

  #writeOf({ info, headers, user }: ApiRequest, definition: ResourceDefinition, warnings: string[]): WriteRequest {
    return {
      definition,
      namespace: definition.namespaced ? (info.namespace ?? '') : '',
      name: info.name ?? '',
      subresource: info.subresource ?? '',
      dryRun: isDryRun(info.query.getAll('dryRun')),
      user,
      manager: managerName(info.query.get('fieldManager'), headers['user-agent'] ?? ''),
      fieldValidation: fieldValidationOf(info.query.get('fieldValidation')),
      warnings,
    };
  }

  #get({ info, headers }: ApiRequest, definition: ResourceDefinition): Answer {
    const name = info.name ?? '';
    const namespace = definition.namespaced ? (info.namespace ?? '') : '';
    const stored = this.#parts.world.store.collection(definition.storage).get(namespace, name);
    if (stored === undefined) throw notFound(definition, name);
    const table = this.#tableRequest(headers, info);
    if (table === undefined) return textAnswer(200, this.#texts.text(definition, stored.object));
    if (table.transform === 'PartialObjectMetadata') return jsonAnswer(200, partial(definition, stored.object));
    return jsonAnswer(200, tableOf(definition, [stored], { resourceVersion: String(stored.version) }, table));
  }

  #list({ info, headers }: ApiRequest, definition: ResourceDefinition): Answer {
    const page = listPage(this.#parts.world, definition, info);
    const meta = {
      resourceVersion: String(page.version),
      ...(page.continueToken !== undefined && { continue: page.continueToken }),
      ...(page.remaining !== undefined && { remainingItemCount: page.remaining }),
    };
    const table = this.#tableRequest(headers, info);
    if (table !== undefined) return jsonAnswer(200, tableOf(definition, page.items, meta, table));
    // Lists of custom kinds are written without leaving out what is empty.
    const metadata = definition.custom === undefined ? meta : { continue: '', ...meta };
    const head = { kind: definition.listKind, apiVersion: apiVersionOf(definition), metadata };
    const items = page.items.map((stored) => this.#texts.item(definition, stored.object)).join(',');
    return textAnswer(200, `${JSON.stringify(head).slice(0, -1)},"items":[${items}]}`);
  }

  #watch({ info, headers }: ApiRequest, definition: ResourceDefinition): Answer {
    const table = this.#tableRequest(headers, info);
    const { clock } = this.#parts.world;
    // The age in a row is that of the moment at which it is told, not of the one at which the watch began.
    const render = (object: JsonObject) =>
      table === undefined
        ? this.#texts.text(definition, object)
        : tableRow(definition, { ...table, now: clock.now() })(object);
    return { status: 200, body: startWatch(this.#parts.world, definition, info, render) };
  }

  #tableRequest(headers: ApiRequest['headers'], info: RequestInfo): TableRequest | undefined {
    const transform = wantedTransform(headers['accept'] ?? '');
    if (transform === undefined) return undefined;
    return { transform, include: info.query.get('includeObject') ?? 'Metadata', now: this.#parts.world.clock.now() };
  }

  /** The object as it was stored; its text is kept for the watches that are told next. */
  #show(status: number, { definition, warnings }: WriteRequest, object: JsonObject): Answer {
    return textAnswer(status, this.#texts.text(definition, object), warnings);
  }

  async #create(request: ApiRequest, write: WriteRequest): Promise<Answer> {
    const body = parseBody(request.body ?? '', write.definition.kind);
    const { object } = await this.#parts.writer.create(write, body);
    return this.#show(201, write, object);
  }

  async #put(request: ApiRequest, write: WriteRequest): Promise<Answer> {
    const { definition, namespace, name } = write;
    const body = parseBody(request.body ?? '', definition.kind);
    const exists = this.#parts.world.store.collection(definition.storage).get(namespace, name) !== undefined;
    const given = textAt(body, 'metadata', 'name');
    if (given !== name && given !== '') {
      throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
    }
    if (given === '')
      throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
    if (!exists && definition.strategy.createOnUpdate && write.subresource === '') {
      const { object } = await this.#parts.writer.createByUpdate(write, body);
      return this.#show(201, write, object);
    }
    const decoded = decodeObject(definition, body, write);
    const { object } = await this.#parts.writer.update(write, () => clone(decoded));
    return this.#show(200, write, object);
  }

  async #patch(request: ApiRequest, write: WriteRequest): Promise<Answer> {
    const { query } = request.info;
    const { object, created } = await this.#parts.patcher.patch(write, {
      contentType: request.headers['content-type'] ?? '',
      body: request.body ?? '',
      fieldManager: query.get('fieldManager') ?? '',
      force: queryFlag(query, 'force'),
    });
    return this.#show(created ? 201 : 200, write, object);
  }

  async #delete(request: ApiRequest, write: WriteRequest): Promise<Answer> {
    const { definition } = write;
    const { object, gone } = await this.#parts.deleter.delete(
      write,
      readDeleteOptions(request.body, request.info.query),
    );
    if (!gone || definition.strategy.returnsDeleted) return this.#show(200, write, object);
    const details = {
      name: write.name,
      ...(definition.group !== '' && { group: definition.group }),
      kind: definition.plural,
      uid: textAt(object, 'metadata', 'uid'),
    };
    return jsonAnswer(200, successStatus(details), write.warnings);
  }

  async #deleteCollection(request: ApiRequest, write: WriteRequest): Promise<Answer> {
    const { definition, namespace } = write;
    const { world, deleter } = this.#parts;
    const options = { ...plainDelete, ...readDeleteOptions(request.body, request.info.query) };
    const selection = selectionOf(definition, request.info);
    const doomed = [
      ...world.store.collection(definition.storage).entries(definition.namespaced ? namespace : undefined),
    ].filter(({ object }) => selection.matches(object));
    for (const { object } of doomed) {
      const name = textAt(object, 'metadata', 'name');
      await deleter.delete({ ...write, name }, options).catch(ignoreGone);
    }
    const head = {
      kind: definition.listKind,
      apiVersion: apiVersionOf(definition),
      metadata: {
        ...(definition.custom !== undefined && { continue: '' }),
        resourceVersion: String(world.store.version),
      },
    };
    const items = doomed.map(({ object }) => this.#texts.item(definition, object)).join(',');
    return textAnswer(200, `${JSON.stringify(head).slice(0, -1)},"items":[${items}]}`, write.warnings);
  }
}

/** Something else may have deleted it first. */
function ignoreGone(error: unknown): void {
  if (isObject(error) || !(error instanceof Error) || !('code' in error) || error.code !== 404) throw error;
}

function fieldValidationOf(text: string | null): FieldValidation {
  return text === 'Strict' || text === 'Ignore' ? text : 'Warn';
}
