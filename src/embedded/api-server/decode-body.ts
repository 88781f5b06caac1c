import { parse as parseYaml } from 'yaml';
import { invalid, invalidValue } from './field-error.ts';
import { type Decoding, decodeAsGo } from './go-decode.ts';
import { isObject, type JsonObject, type JsonValue, parseJson, textAt } from './json.ts';
import { apiVersionOf, type ResourceDefinition } from './resource-definition.ts';
import { metadataSchema } from './schema.ts';
import { badRequest } from './status-error.ts';

/** What the server does about fields that it does not know. */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

export interface DecodeOptions {
  readonly fieldValidation: FieldValidation;
  readonly warnings: string[];
  /** The text that a refusal of a patch repeats. Absent: not a patch. */
  readonly patched?: JsonObject;
}

/** A request's body as JSON. Throws the API server's 400. */
export function parseBody(body: string, kind: string): JsonObject {
  const value = parseJson(body);
  if (isObject(value)) return value;
  const shown = body === '' ? '<empty>' : body;
  throw badRequest(
    `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: unexpected end of JSON input (${shown})`,
  );
}

/** The body of a server-side apply: YAML, of which JSON is a part. */
export function parseApplyBody(body: string): JsonObject {
  try {
    const value: JsonValue | undefined = parseJson(body) ?? parseYaml(body);
    if (isObject(value)) return value;
  } catch {
    // Told below.
  }
  throw badRequest('error decoding YAML: the body is no object');
}

/**
 * The object as it is to be stored: of the right kind, without unknown fields, with its kind's defaults. Throws the API server's 400 where the
 * body is of another kind, does not fit the types, or has unknown fields and validation is strict; its 422 where a patch led there.
 */
export function decodeObject(definition: ResourceDefinition, body: JsonObject, options: DecodeOptions): JsonObject {
  checkKind(definition, body);
  const decoding: Decoding = { unknown: [], failure: undefined };
  const decoded =
    definition.custom === undefined
      ? decodeBuiltin(definition, body, decoding)
      : decodeCustom(definition, body, decoding);
  if (decoding.failure !== undefined) throw misfit(definition, decoding.failure, options);
  reportUnknown(definition, decoding.unknown, options);
  decoded['kind'] = definition.kind;
  decoded['apiVersion'] = apiVersionOf(definition);
  const stored = definition.view === undefined ? decoded : definition.view.toStored(decoded);
  definition.strategy.setDefaults?.(stored);
  return stored;
}

function decodeBuiltin(definition: ResourceDefinition, body: JsonObject, decoding: Decoding): JsonObject {
  const decoded = decodeAsGo(body, definition.schema, decoding);
  cleanMetadata(decoded);
  return decoded;
}

function decodeCustom(definition: ResourceDefinition, body: JsonObject, decoding: Decoding): JsonObject {
  const metadata = decodeAsGo({ metadata: body['metadata'] ?? {} }, metadataHolder, decoding);
  const pruned = definition.custom?.decode(body, decoding.unknown) ?? body;
  const decoded = { ...pruned, metadata: metadata['metadata'] };
  cleanMetadata(decoded);
  return decoded;
}

/** Metadata is decoded by its own schema, under its own name, so that paths in messages are whole. */
const metadataHolder = {
  ...metadataSchema,
  goType: 'ObjectMeta',
  properties: new Map([['metadata', metadataSchema]]),
  zero: undefined,
};

/** Go writes a creation time of null while there is none; nobody stores that. */
function cleanMetadata(object: JsonObject): void {
  const { metadata } = object;
  if (isObject(metadata) && metadata['creationTimestamp'] === null) delete metadata['creationTimestamp'];
}

function checkKind(definition: ResourceDefinition, body: JsonObject): void {
  if (definition.custom !== undefined) return checkCustomKind(definition, body);
  const kind = textAt(body, 'kind') || definition.kind;
  const apiVersion = textAt(body, 'apiVersion') || apiVersionOf(definition);
  if (kind === definition.kind && apiVersion === apiVersionOf(definition)) return;
  const version = apiVersion.split('/').at(-1) ?? '';
  throw badRequest(
    `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${definition.kind}: no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
  );
}

function checkCustomKind(definition: ResourceDefinition, body: JsonObject): void {
  const kind = textAt(body, 'kind');
  const apiVersion = textAt(body, 'apiVersion');
  if (kind === '') {
    const text = JSON.stringify(body);
    const start = text.length > 30 ? `${text.slice(0, 30)} ...` : text;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${definition.kind}): Object 'Kind' is missing in '${text}' (${start})`,
    );
  }
  if (apiVersion !== apiVersionOf(definition)) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${apiVersionOf(definition)})`,
    );
  }
  if (kind === definition.kind) return;
  throw invalid(kind, definition.group, textAt(body, 'metadata', 'name'), [
    invalidValue('kind', kind, `must be ${definition.kind}`),
  ]);
}

function misfit(definition: ResourceDefinition, failure: string, { patched }: DecodeOptions) {
  if (patched === undefined) {
    return badRequest(
      `${definition.kind} in version ${JSON.stringify(definition.version)} cannot be handled as a ${definition.kind}: ${failure}`,
    );
  }
  const message = `Invalid value: ${JSON.stringify(JSON.stringify(patched))}: ${failure}`;
  return invalid('', '', '', [{ reason: 'FieldValueInvalid', field: 'patch', message }]);
}

function reportUnknown(definition: ResourceDefinition, unknown: readonly string[], options: DecodeOptions): void {
  if (unknown.length === 0) return;
  const texts = unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
  if (options.fieldValidation === 'Warn') options.warnings.push(...texts);
  if (options.fieldValidation !== 'Strict') return;
  const problem = `strict decoding error: ${texts.join(', ')}`;
  if (options.patched !== undefined) throw misfit(definition, problem, options);
  throw badRequest(
    `${definition.kind} in version ${JSON.stringify(definition.version)} cannot be handled as a ${definition.kind}: ${problem}`,
  );
}
