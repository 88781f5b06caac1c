import { epochMillis, toTimestamp } from '../../kube/clock.ts';
import { isObject, type JsonObject, type JsonValue, parseJson, textAt } from './json.ts';
import { builtinSchema, builtinSchemas, type Schema } from './schema.ts';
import { badRequest } from './status-error.ts';

/** kubectl's typed commands (`create`, `drain`) send bodies in protobuf, whatever the server would like. */
export const protobufType = 'application/vnd.kubernetes.protobuf';

/**
 * A body in the protobuf form of Kubernetes, as JSON text. Only kinds whose schema we have; answers are always JSON, which every client takes.
 * Throws a 400 for anything else.
 */
export function protobufToJson(body: Uint8Array): string {
  if (Buffer.from(body.subarray(0, 4)).toString('latin1') !== 'k8s\0') throw badRequest('the body is not in protobuf');
  const envelope = readFields(body.subarray(4));
  const type = readFields(bytesOf(envelope.get(1)?.[0]));
  const apiVersion = textOf(type.get(1)?.[0]);
  const kind = textOf(type.get(2)?.[0]);
  const schema = schemaOf(apiVersion, kind);
  if (schema === undefined) {
    // Questions about oneself, which are answered without being read.
    if (selfReviews.has(kind)) return JSON.stringify({ kind, apiVersion, metadata: {}, spec: {} });
    throw badRequest(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`);
  }
  const object = decodeMessage(bytesOf(envelope.get(2)?.[0]), schema);
  return JSON.stringify({ kind, apiVersion, ...object });
}

const selfReviews = new Set(['SelfSubjectAccessReview', 'SelfSubjectRulesReview', 'SelfSubjectReview']);

function schemaOf(apiVersion: string, kind: string): Schema | undefined {
  const suffix = `.${kind}`;
  const [group = '', version = group] = apiVersion.split('/');
  const name = Object.keys(builtinSchemas()).find((each) => {
    if (!each.endsWith(suffix)) return false;
    const schema = builtinSchemas()[each];
    const kinds = isObject(schema) ? schema['x-kubernetes-group-version-kind'] : undefined;
    if (each.includes('.meta.')) return kind === 'DeleteOptions';
    return (
      Array.isArray(kinds) &&
      kinds.some(
        (gvk) =>
          isObject(gvk) && gvk['version'] === version && gvk['group'] === (apiVersion.includes('/') ? group : ''),
      )
    );
  });
  return name === undefined ? undefined : builtinSchema(name);
}

/** A field as it stands on the wire: a number, or bytes. */
type Wire = bigint | Uint8Array;

const bytesOf = (value: Wire | undefined) => (value instanceof Uint8Array ? value : new Uint8Array());
const textOf = (value: Wire | undefined) => Buffer.from(bytesOf(value)).toString('utf8');
const numberOf = (value: Wire | undefined) => (typeof value === 'bigint' ? Number(BigInt.asIntN(64, value)) : 0);

function readFields(bytes: Uint8Array): Map<number, Wire[]> {
  const fields = new Map<number, Wire[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw badRequest('unexpected end of protobuf');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Uint8Array => {
    if (at + length > bytes.length) throw badRequest('unexpected end of protobuf');
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const value = readValue(tag & 7, varint, take);
    const known = fields.get(tag >> 3);
    if (known === undefined) fields.set(tag >> 3, [value]);
    else known.push(value);
  }
  return fields;
}

function readValue(wireType: number, varint: () => bigint, take: (length: number) => Uint8Array): Wire {
  switch (wireType) {
    case 0:
      return varint();
    case 1:
      return take(8);
    case 2:
      return take(Number(varint()));
    case 5:
      return take(4);
    default:
      throw badRequest(`unknown protobuf wire type ${wireType}`);
  }
}

/** Messages whose JSON form is not that of their fields. */
const special: Readonly<Record<string, (fields: Map<number, Wire[]>) => JsonValue>> = {
  Time: timeOf,
  MicroTime: timeOf,
  Quantity: (fields) => textOf(fields.get(1)?.[0]),
  IntOrString: (fields) =>
    numberOf(fields.get(1)?.[0]) === 0 ? numberOf(fields.get(2)?.[0]) : textOf(fields.get(3)?.[0]),
  FieldsV1: (fields) => parseJson(textOf(fields.get(1)?.[0])) ?? {},
};

function timeOf(fields: Map<number, Wire[]>): JsonValue {
  const seconds = numberOf(fields.get(1)?.[0]);
  // Go's zero time is long before 1970.
  if (fields.size === 0 || seconds < 0) return null;
  return toTimestamp(epochMillis(seconds * 1000)).replace(/\.\d+Z$/, 'Z');
}

function decodeMessage(bytes: Uint8Array, schema: Schema): JsonObject {
  const fields = readFields(bytes);
  const inner = new Map<number, Map<number, Wire[]>>();
  const object: JsonObject = {};
  for (const [name, member] of schema.properties ?? []) {
    const [outer = '', nested] = textAt(member.raw, 'x-proto').split('.');
    if (outer === '') continue;
    let values = fields.get(Number(outer));
    if (nested !== undefined && values !== undefined) {
      const parts = inner.get(Number(outer)) ?? readFields(bytesOf(values[0]));
      inner.set(Number(outer), parts);
      values = parts.get(Number(nested));
    }
    if (values !== undefined) object[name] = decodeMember(values, member);
  }
  return object;
}

function decodeMember(values: readonly Wire[], schema: Schema): JsonValue {
  if (schema.type === 'array') {
    const { items } = schema;
    return values.map((value) => (items === undefined ? null : decodeValue(value, items)));
  }
  if (schema.values !== undefined) {
    const map: JsonObject = {};
    for (const value of values) {
      const entry = readFields(bytesOf(value));
      map[textOf(entry.get(1)?.[0])] = decodeValue(entry.get(2)?.[0] ?? new Uint8Array(), schema.values);
    }
    return map;
  }
  return decodeValue(values.at(-1) ?? 0n, schema);
}

function decodeValue(value: Wire, schema: Schema): JsonValue {
  const read = special[schema.goType];
  if (read !== undefined && value instanceof Uint8Array && schema.properties === undefined)
    return read(readFields(value));
  if (schema.properties !== undefined) return decodeMessage(bytesOf(value), schema);
  if (schema.type === 'boolean') return numberOf(value) !== 0;
  if (schema.type === 'integer') return numberOf(value);
  if (schema.format === 'byte') return Buffer.from(bytesOf(value)).toString('base64');
  return textOf(value);
}
