import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject, type JsonValue, objectAt, textAt } from '../../src/embedded/api-server/json.ts';
import { type Random, randomInteger, seededRandom } from '../../src/kube/random.ts';
import { normalise, type ParityAnswer, type ParityServer, patchTypes, type Step } from './api-server-parity.harness.ts';
import { eviction } from './api-server-parity.objects.ts';
import { pick, type RandomKind, randomKinds } from './api-server-parity.random-kinds.ts';

/** The first step on which two servers disagree. */
export interface Difference {
  readonly step: number;
  readonly request: string;
  readonly real: JsonObject;
  readonly embedded: JsonObject;
}

/** Sends the same requests to both, in order, until their answers differ. */
export async function replay(
  steps: readonly Step[],
  real: ParityServer,
  embedded: ParityServer,
): Promise<Difference | undefined> {
  const ofReal: ParityAnswer[] = [];
  const ofEmbedded: ParityAnswer[] = [];
  for (const [index, step] of steps.entries()) {
    const [a, b] = await Promise.all([real.send(step, ofReal), embedded.send(step, ofEmbedded)]);
    ofReal.push(a);
    ofEmbedded.push(b);
    const [left, right] = [normalise(a), normalise(b)];
    if (isDeepStrictEqual(left, right)) continue;
    const body = typeof step.body === 'function' ? step.body(ofReal.slice(0, -1)) : step.body;
    return { step: index, request: `${step.method} ${step.path} ${JSON.stringify(body)}`, real: left, embedded: right };
  }
  return undefined;
}

const names: readonly [string, ...string[]] = ['a', 'b', 'c'];

/** A random walk through creates, reads, updates, patches, deletes, evictions and watches of a few objects. */
export function walk(seed: number, namespace: string, length: number): Step[] {
  const random = seededRandom(seed);
  return Array.from({ length }, () => oneStep(random, namespace));
}

interface Place {
  readonly kind: RandomKind;
  readonly collection: string;
  readonly name: string;
}

function oneStep(random: Random, ns: string): Step {
  const kind = pick(random, ...randomKinds);
  const name = `${pick(random, ...names)}${kind.isCluster === true ? `-${ns}` : ''}`;
  const at: Place = { kind, name, collection: kind.collection(ns) };
  const path = `${at.collection}/${name}`;
  const dry = random.next() < 0.1 ? '?dryRun=All' : '';
  switch (randomInteger(random, 0, 14)) {
    case 0:
    case 1:
    case 2:
      return { method: 'POST', path: `${at.collection}${dry}`, body: kind.make(random, name) };
    case 3:
      return { method: 'GET', path };
    case 4:
      return kind.isCluster === true ? { method: 'GET', path } : someList(random, at);
    case 5:
      return { method: 'PUT', path: `${path}${dry}`, body: lastSeen(at, random) };
    case 6:
    case 7:
      return { method: 'PATCH', path: `${path}${dry}`, body: somePatch(random, kind), type: patchTypes.merge };
    case 8:
      return { method: 'PATCH', path, body: somePatch(random, kind), type: patchTypes.strategic };
    case 9:
      return { method: 'PATCH', path, body: someJsonPatch(random), type: patchTypes.json };
    case 10:
      return someApply(random, at, path);
    case 11:
      return { method: 'DELETE', path: `${path}${dry}`, ...(random.next() < 0.5 && { body: deleteOptions(random) }) };
    case 12:
      if (kind.status === undefined) return { method: 'GET', path };
      return { method: 'PATCH', path: `${path}/status`, body: kind.status(random), type: patchTypes.merge };
    default:
      return evictOr(random, at, path);
  }
}

/** A list, or, rarely because each takes a second, a watch. */
function someList(random: Random, at: Place): Step {
  const selector = pick(random, '', 'labelSelector=app%3Ddb', 'labelSelector=!app', 'limit=1');
  if (random.next() < 0.9) return { method: 'GET', path: `${at.collection}?${selector}` };
  return { method: 'GET', path: `${at.collection}?watch=1&timeoutSeconds=1&${selector}` };
}

function someApply(random: Random, at: Place, path: string): Step {
  const query = `fieldManager=${pick(random, 'one', 'two')}${pick(random, '', '&force=true')}`;
  return { method: 'PATCH', path: `${path}?${query}`, body: at.kind.make(random, at.name), type: patchTypes.apply };
}

/** The object as an earlier answer showed it, with a change: sometimes stale, which must be a conflict on both. */
function lastSeen({ kind, name }: Place, random: Random): (answers: readonly ParityAnswer[]) => JsonValue {
  const made = kind.make(random, name);
  const isStale = random.next() < 0.3;
  return (answers) => {
    const seen = answers
      .map(({ body }) => body)
      .filter(isObject)
      .filter((body) => body['kind'] === made['kind'] && textAt(body, 'metadata', 'name') === name);
    const found = isStale ? seen.at(0) : seen.at(-1);
    if (found === undefined) return made;
    const replaced = kind.replaced === undefined ? {} : { [kind.replaced]: made[kind.replaced] };
    return {
      ...found,
      ...replaced,
      metadata: { ...objectAt(found, 'metadata'), labels: objectAt(made, 'metadata', 'labels') },
    };
  };
}

function somePatch(random: Random, kind: RandomKind): JsonObject {
  const labelled = { labels: { [pick(random, 'app', 'tier')]: pick(random, 'db', 'x', null) } };
  const finalizers = { finalizers: pick<JsonValue>(random, null, [], ['example.com/x']) };
  const metadata = pick<JsonObject>(random, {}, labelled, labelled, finalizers);
  return { metadata, ...(random.next() < 0.6 && kind.change(random)) };
}

function someJsonPatch(random: Random): JsonValue {
  return pick<JsonValue>(
    random,
    [{ op: 'add', path: '/metadata/labels', value: { app: 'db' } }],
    [{ op: 'replace', path: '/metadata/labels/app', value: 'x' }],
    [{ op: 'remove', path: '/metadata/labels/app' }],
    [
      { op: 'test', path: '/metadata/labels/app', value: 'db' },
      { op: 'replace', path: '/metadata/labels/app', value: 'y' },
    ],
    [{ op: 'add', path: '/metadata/annotations', value: { note: 'c' } }],
  );
}

function deleteOptions(random: Random): JsonObject {
  return pick<JsonObject>(
    random,
    { gracePeriodSeconds: 0 },
    { gracePeriodSeconds: 5 },
    { propagationPolicy: 'Background' },
    { propagationPolicy: 'Foreground' },
    { propagationPolicy: 'Orphan' },
    { preconditions: { uid: 'nobody' } },
  );
}

function evictOr(random: Random, at: Place, path: string): Step {
  if (at.kind.isPod !== true) return { method: 'GET', path };
  const options = pick<JsonObject | undefined>(random, undefined, { dryRun: ['All'] }, { gracePeriodSeconds: 0 });
  // No wrong uid here: for ten seconds the real server hopes that the conflict goes away.
  return { method: 'POST', path: `${path}/eviction`, body: eviction(at.name, options) };
}
