import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedApiServer } from '../../src/embedded/api-server/api-server.ts';
import { inProcessTransport } from '../../src/embedded/api-server/in-process-transport.ts';
import {
  equal,
  isObject,
  isString,
  type JsonObject,
  type JsonValue,
  parseJson,
  textAt,
} from '../../src/embedded/api-server/json.ts';
import { kubeconfigConnection } from '../../src/kube/kubeconfig.ts';
import { nodeTransport } from '../../src/kube/node-transport.ts';
import { seededRandom } from '../../src/kube/random.ts';
import { realClock } from '../../src/kube/real-clock.ts';
import { readBody } from '../../src/kube/response.ts';
import type { Transport, TransportRequest } from '../../src/kube/transport.ts';

export const patchTypes = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

export interface ParityAnswer {
  readonly status: number;
  readonly body: JsonValue;
  readonly warnings: readonly string[];
}

/** One of the two servers. */
export interface ParityServer {
  readonly name: string;
  send(step: Step, answers: readonly ParityAnswer[]): Promise<ParityAnswer>;
  close(): void;
}

/** What is sent: a method, a path, a body or how to make one from earlier answers, and a type other than JSON. */
export interface Step {
  readonly method: TransportRequest['method'];
  readonly path: string;
  readonly body?: JsonValue | ((answers: readonly ParityAnswer[]) => JsonValue);
  readonly type?: string;
  readonly accept?: string;
  /** Waits while the answer is a 404: a new kind takes the real server a moment. */
  readonly settles?: true;
}

export function embeddedServer(): ParityServer {
  const server = new EmbeddedApiServer({ clock: realClock, random: seededRandom(1), controllers: false });
  return serverOver('embedded', inProcessTransport(server, { user: 'drover-admin' }), () => server.stop());
}

/** A server that a kubeconfig leads to. */
export async function realServer(kubeconfig: string): Promise<ParityServer> {
  const transport = nodeTransport(await kubeconfigConnection(kubeconfig, realClock));
  return caughtUp(serverOver('real', transport, () => transport.close()));
}

/**
 * The real server tries a deletion on what its watch cache shows, and when that was old once more on what is stored, but with the grace that the
 * old object led to: 0 for a pod that had failed or had no node a moment ago. A read of a version that we saw waits until the cache has it.
 */
function caughtUp(server: ParityServer): ParityServer {
  const versions = new Map<string, string>();
  return {
    ...server,
    async send(step, answers) {
      const path = objectPath(step.path);
      const version = versions.get(path);
      const isDeletion = step.method === 'DELETE' || step.path.includes('/eviction');
      if (isDeletion && version !== undefined)
        await server.send({ method: 'GET', path: `${path}?resourceVersion=${version}` }, []);
      const answer = await server.send(step, answers);
      const [name, seen] = ['name', 'resourceVersion'].map((field) => textAt(answer.body, 'metadata', field));
      if (step.method !== 'GET' && seen) versions.set(step.method === 'POST' ? `${path}/${name}` : path, seen);
      return answer;
    },
  };
}

/** Of the object itself, without a subresource and a query. */
const objectPath = (path: string): string => path.replace(/(\/(status|scale|binding|eviction))?(\?.*)?$/, '');

function serverOver(name: string, transport: Transport, close: () => void): ParityServer {
  return {
    name,
    async send(step, answers) {
      const body = typeof step.body === 'function' ? step.body(answers) : step.body;
      // A kind that was asked for the first time: the real server is still filling its cache.
      for (let tries = 0; ; tries++) {
        const answer = await once(transport, step, body);
        if (tries === 40 || !(isFilling(answer) || (step.settles === true && answer.status === 404))) return answer;
        await sleep(200);
      }
    },
    close,
  };
}

const isFilling = ({ status, body }: ParityAnswer) =>
  status === 429 && !JSON.stringify(body).includes('disruption budget');

async function once(transport: Transport, step: Step, body: JsonValue | undefined): Promise<ParityAnswer> {
  const response = await transport.send(
    {
      method: step.method,
      path: step.path,
      headers: {
        accept: step.accept ?? 'application/json',
        'user-agent': 'parity/1',
        ...(body !== undefined && { 'content-type': step.type ?? 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    },
    AbortSignal.timeout(60_000),
  );
  const text = Buffer.from(await readBody(response.body)).toString('utf8');
  return { status: response.status, body: readText(text), warnings: response.warnings };
}

/** JSON, or the events of a watch, or plain text. */
function readText(text: string): JsonValue {
  const whole = parseJson(text);
  if (whole !== undefined) return whole;
  const lines = text.split('\n').filter((line) => line !== '');
  const events = lines.map((line) => parseJson(line));
  return events.every((event) => event !== undefined) ? events : text;
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const timestamp = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z/g;

/** What two servers must agree on: everything but what each makes up by itself. */
export function normalise({ status, body, warnings }: ParityAnswer): JsonObject {
  return { status, body: normaliseValue(body, ''), warnings: [...warnings] };
}

const dropped = new Set(['managedFields', 'selfLink']);
/** Whole sentences of documentation stand in column definitions; they are ours to say. */
const isColumn = (value: JsonObject) => 'priority' in value && 'format' in value;
const versions = new Set(['resourceVersion', 'continue']);

function normaliseValue(value: JsonValue, key: string): JsonValue {
  if (Array.isArray(value)) {
    const items = value.map((item) => normaliseValue(item, key));
    return key === 'causes' ? normaliseCauses(items) : items;
  }
  if (isString(value)) return versions.has(key) ? `<${key}>` : normaliseText(value);
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const name of Object.keys(value).sort()) {
    const member = value[name];
    if (member === undefined || dropped.has(name) || (name === 'description' && isColumn(value))) continue;
    result[name] = normaliseValue(member, name);
  }
  return result;
}

/** The real server finds some faults more than once, and lists the conflicts of an apply in the order of a Go map, which is by chance. */
function normaliseCauses(causes: readonly JsonValue[]): JsonValue[] {
  const each = causes.filter((cause, index) => causes.findIndex((other) => equal(other, cause)) === index);
  const conflicts = each.every((cause) => isObject(cause) && cause['reason'] === 'FieldManagerConflict');
  return conflicts ? each.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : each;
}

function normaliseText(text: string): string {
  return (
    text
      .replaceAll(uuid, '<uid>')
      .replaceAll(timestamp, '<time>')
      // The age of an object in a table: the second may turn between the two answers.
      .replace(/^\d{1,2}s$/, '<age>')
      .replaceAll(/10\.96\.\d+\.\d+/g, '<address>')
      .replaceAll(/(record|precondition|current:?) \(?\d+\)?/g, '$1 <version>')
      .replaceAll(/too old resource version: \d+ \(\d+\)/g, 'too old resource version')
      .replaceAll(/scheme.go:\d+/g, 'scheme.go')
      // Go's view of what differs, which nobody can predict.
      .replaceAll(/\n(@@|.*core\.PodSpec|\s*[{ +-]).*/gs, '')
  );
}
