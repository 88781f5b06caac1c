import { presentableWarnings } from './admission-warnings.ts';

const apiVersion = 'admission.k8s.io/v1';
const kind = 'AdmissionReview';

/** What the API server asks about. Objects are as they came on the wire, and `undefined` where it sent none. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly subResource: string | undefined;
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  readonly userInfo: {
    readonly username: string;
    readonly uid: string | undefined;
    readonly groups: readonly string[];
  };
  readonly object: unknown;
  readonly oldObject: unknown;
  readonly options: unknown;
  /** The API server's own word only; some clients say it inside the object instead. */
  readonly dryRun: boolean;
}

/** The codes of a denial. Below 400 the API server would turn it into a 400 of its own, as it does without a code. */
export type DenialCode = 400 | 401 | 403 | 404 | 405 | 409 | 410 | 413 | 422 | 429 | 500 | 503 | 504;

/** Yes, or no with a code: without one the API server says 400, which most clients take for final. */
export type AdmissionAnswer = Allowed | Denied;

export interface Allowed {
  readonly allowed: true;
  readonly warnings?: readonly string[];
}

export interface Denied {
  readonly allowed: false;
  readonly code: DenialCode;
  /** For programs: `TooManyRequests`. */
  readonly reason: string;
  /** For people; the API server puts the webhook's name in front. May have several lines. */
  readonly message: string;
  readonly warnings?: readonly string[];
  /** What the message is made of, for tools that show or count it one by one; kubectl shows none of it. */
  readonly causes?: readonly DenialCause[];
}

/** One of the reasons of a denial. */
export interface DenialCause {
  /** For programs. */
  readonly type: string;
  /** For people. */
  readonly message: string;
}

/** The body is not an `AdmissionReview` of version v1 with a request in it. The message says what is wrong with it. */
export class MalformedReview extends Error {
  override readonly name = 'MalformedReview';
  readonly code = 'MalformedReview';
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** The request in the body of a review. Throws `MalformedReview` and nothing else. */
export function parseReview(body: Uint8Array): AdmissionRequest {
  const review = parseObject(body);
  if (review['apiVersion'] !== apiVersion || review['kind'] !== kind) {
    throw new MalformedReview(
      `expected ${kind} of ${apiVersion}, got ${shown(review['kind'])} of ${shown(review['apiVersion'])}`,
    );
  }
  const request = objectAt(review, 'request');
  const resource = objectAt(request, 'request.resource');
  const object = objectAt(request, 'request.kind');
  const user = objectAt(request, 'request.userInfo');
  return {
    uid: textAt(request, 'request.uid'),
    operation: operationOf(request),
    kind: {
      group: optionalTextAt(object, 'request.kind.group') ?? '',
      version: textAt(object, 'request.kind.version'),
      kind: textAt(object, 'request.kind.kind'),
    },
    resource: {
      group: optionalTextAt(resource, 'request.resource.group') ?? '',
      version: textAt(resource, 'request.resource.version'),
      resource: textAt(resource, 'request.resource.resource'),
    },
    subResource: optionalTextAt(request, 'request.subResource'),
    name: optionalTextAt(request, 'request.name'),
    namespace: optionalTextAt(request, 'request.namespace'),
    userInfo: {
      username: optionalTextAt(user, 'request.userInfo.username') ?? '',
      uid: optionalTextAt(user, 'request.userInfo.uid'),
      groups: textsAt(user, 'request.userInfo.groups'),
    },
    object: request['object'] ?? undefined,
    oldObject: request['oldObject'] ?? undefined,
    options: request['options'] ?? undefined,
    dryRun: request['dryRun'] === true,
  };
}

/** Cluster API puts all of them behind the message: as many as a person reads there, and as long as they read. */
const mostCauses = 8;
const longestCause = 512;

/** The body of the answer. Warnings are put into the form in which they arrive, and of very many or very long causes the first are kept. */
export function formatReview(uid: string, answer: AdmissionAnswer): string {
  const known = texts.get(answer) ?? textOf(answer);
  texts.set(answer, known);
  return `{"apiVersion":"${apiVersion}","kind":"${kind}","response":{"uid":${JSON.stringify(uid)},${known.slice(1)}}`;
}

/** Whoever is told to wait is told the same every few seconds: an answer is written once, for as long as it is the same object. */
const texts = new WeakMap<AdmissionAnswer, string>();

function textOf(answer: AdmissionAnswer): string {
  const warnings = presentableWarnings(answer.warnings ?? []);
  return JSON.stringify({
    allowed: answer.allowed,
    ...(!answer.allowed && {
      status: {
        status: 'Failure',
        code: answer.code,
        reason: answer.reason,
        message: answer.message,
        ...detailsOf(answer),
      },
    }),
    ...(warnings.length > 0 && { warnings }),
  });
}

/** On the wire the type of a cause is called its reason. Never with a time to wait. */
function detailsOf({ causes = [] }: Denied): object {
  if (causes.length === 0) return {};
  const kept = causes
    .slice(0, mostCauses)
    .map(({ type, message }) => ({ reason: type, message: firstOf(message, longestCause) }));
  return { details: { causes: kept } };
}

const firstOf = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;

type Fields = Readonly<Record<string, unknown>>;

function parseObject(body: Uint8Array): Fields {
  if (body.byteLength === 0) throw new MalformedReview('the body is empty');
  const value = parseJson(decode(body));
  if (!isFields(value)) throw new MalformedReview('the body is JSON, but not an object');
  return value;
}

function decode(body: Uint8Array): string {
  try {
    return strictUtf8.decode(body);
  } catch (cause) {
    throw new MalformedReview('the body is not UTF-8', { cause });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new MalformedReview('the body is not JSON', { cause });
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The last part of the path names the field; the whole of it stands in the message. */
function fieldAt(parent: Fields, path: string): unknown {
  return parent[path.slice(path.lastIndexOf('.') + 1)] ?? undefined;
}

function objectAt(parent: Fields, path: string): Fields {
  const value = fieldAt(parent, path);
  if (!isFields(value)) throw new MalformedReview(`${path} is not an object`);
  return value;
}

function textAt(parent: Fields, path: string): string {
  const value = optionalTextAt(parent, path);
  if (value === undefined) throw new MalformedReview(`${path} is missing`);
  return value;
}

/** Go leaves empty strings out, and some clients do not: both mean none. */
function optionalTextAt(parent: Fields, path: string): string | undefined {
  const value = fieldAt(parent, path);
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw new MalformedReview(`${path} is not a string`);
  return value;
}

function textsAt(parent: Fields, path: string): readonly string[] {
  const value = fieldAt(parent, path) ?? [];
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
    throw new MalformedReview(`${path} is not a list of strings`);
  }
  return value;
}

function operationOf(request: Fields): AdmissionRequest['operation'] {
  const value = request['operation'];
  if (value === 'CREATE' || value === 'UPDATE' || value === 'DELETE' || value === 'CONNECT') return value;
  throw new MalformedReview(`request.operation is ${shown(value)}`);
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 100)) : typeof value;
}
