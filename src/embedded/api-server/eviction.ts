import { type Answer, jsonAnswer, successStatus } from './answer.ts';
import { parseBody } from './decode-body.ts';
import { type DeleteOptions, deleteOptionsOf, plainDelete } from './delete-options.ts';
import type { Deleter } from './deleter.ts';
import { at, clone, isObject, type JsonObject, listAt, numberAt, objectAt, textAt, without } from './json.ts';
import { labelsOf, matchLabelSelector } from './label-selector.ts';
import { requireNamespace } from './namespace-lifecycle.ts';
import { badRequest, conflict, forbidden, internalError, notFound, StatusError } from './status-error.ts';
import type { Stored } from './store.ts';
import type { World } from './world.ts';
import type { Admit, WriteRequest } from './write-request.ts';

const budgets = 'poddisruptionbudgets.policy';
const budgetResource = { group: 'policy', plural: 'poddisruptionbudget' };
/** The error names the kind where it should name the resource; so does the real one. */
const podSubject = { group: '', plural: 'Pod' };
const mostDisrupted = 2000;
const refusal = "Cannot evict pod as it would violate the pod's disruption budget.";

/** The eviction subresource, line by line after `pkg/registry/core/pod/storage/eviction.go`. */
export class Evictor {
  readonly #world: World;
  readonly #deleter: Deleter;
  readonly #admit: Admit;

  constructor(world: World, deleter: Deleter, admit: Admit) {
    this.#world = world;
    this.#deleter = deleter;
    this.#admit = admit;
  }

  async evict(write: WriteRequest, text: string): Promise<Answer> {
    const eviction = parseBody(text, 'Eviction');
    if (textAt(eviction, 'metadata', 'name') !== write.name) {
      throw badRequest('name in URL does not match name in Eviction object');
    }
    const options = propagateDryRun(eviction, write.dryRun);
    const shown = {
      kind: 'Eviction',
      apiVersion: 'policy/v1',
      ...without(eviction, 'kind', 'apiVersion'),
      metadata: evictionMeta(eviction, write),
    };
    requireNamespace(this.#world, write, write.name);
    // First the webhooks, then the pod, then the budgets: the order decides whose words a person reads.
    const pending = this.#admit('CREATE', write, shown, undefined);
    if (pending !== undefined) await pending;

    const pod = this.#pod(write);
    if (ignoresBudgets(pod.object)) this.#delete(write, pod, options);
    else this.#evictGuarded(write, pod, options);
    return jsonAnswer(201, { ...successStatus(), code: 201 }, write.warnings);
  }

  #pod({ definition, namespace, name }: WriteRequest): Stored {
    const found = this.#world.store.collection(definition.storage).get(namespace, name);
    if (found === undefined) throw notFound(definition, name);
    return found;
  }

  #evictGuarded(write: WriteRequest, pod: Stored, options: DeleteOptions): void {
    const guards = this.#budgetsOf(write.namespace, pod.object);
    if (guards.length > 1) {
      throw new StatusError(
        500,
        '',
        'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      );
    }
    const [guard] = guards;
    if (guard === undefined) return this.#delete(write, pod, options);
    // A pod that is not ready is not counted as healthy, so taking it away costs the budget nothing.
    if (!isReady(pod.object) && unhealthyMayGo(guard.object)) return this.#delete(write, pod, options);
    this.#takeFrom(guard, write.name, options.dryRun);
    this.#delete(write, pod, options);
  }

  #budgetsOf(namespace: string, pod: JsonObject): Stored[] {
    const labels = labelsOf(pod);
    return [...this.#world.store.collection(budgets).entries(namespace)].filter(({ object }) =>
      matchLabelSelector(at(object, 'spec', 'selector'))(labels),
    );
  }

  /** Counts the eviction before it happens. Throws the 429 of a budget that has nothing left. */
  #takeFrom(budget: Stored, podName: string, dryRun: boolean): void {
    refuseExhausted(budget.object);
    const next = clone(budget.object);
    const status = objectAt(next, 'status');
    const left = (numberAt(status, 'disruptionsAllowed') ?? 0) - 1;
    status['disruptionsAllowed'] = left;
    if (left === 0) setInsufficient(status, this.#world.now());
    if (dryRun) return;
    status['disruptedPods'] = { ...objectAt(status, 'disruptedPods'), [podName]: this.#world.now() };
    this.#world.store.put(budgets, next, budget);
  }

  /** Marks the pod and deletes it. Nothing is awaited since the pod was looked at, so it is still as it was judged. */
  #delete(write: WriteRequest, pod: Stored, options: DeleteOptions): void {
    const { definition, namespace, name } = write;
    checkEviction(pod.object, options);
    if (options.dryRun) {
      this.#deleter.remove(definition, pod, options);
      return;
    }
    const next = clone(pod.object);
    markDisrupted(next, this.#world.now());
    const marked = this.#world.store.put(definition.storage, next, pod);
    const current = this.#world.store.collection(definition.storage).get(namespace, name) ?? marked;
    this.#deleter.remove(definition, current, { ...options, resourceVersion: undefined });
  }
}

function evictionMeta(eviction: JsonObject, { name, namespace }: WriteRequest): JsonObject {
  return { ...objectAt(eviction, 'metadata'), name, namespace };
}

/** A dry run may be asked for in the query, in the body (as kubectl does), or in both; the webhook sees it in the body. */
function propagateDryRun(eviction: JsonObject, dryRun: boolean): DeleteOptions {
  const given = eviction['deleteOptions'];
  if (!isObject(given)) return { ...plainDelete, dryRun };
  if (dryRun && listAt(given, 'dryRun').length === 0) given['dryRun'] = ['All'];
  const options = deleteOptionsOf(given);
  if (dryRun && !options.dryRun) {
    throw internalError(
      `Non-matching dry-run options in request and content: [All] and ${JSON.stringify(given['dryRun'])}`,
    );
  }
  return options;
}

const ended = new Set(['Succeeded', 'Failed']);

function ignoresBudgets(pod: JsonObject): boolean {
  const phase = textAt(pod, 'status', 'phase');
  return ended.has(phase) || phase === 'Pending' || at(pod, 'metadata', 'deletionTimestamp') !== undefined;
}

const isReady = (pod: JsonObject) =>
  listAt(pod, 'status', 'conditions').some(
    (each) => textAt(each, 'type') === 'Ready' && textAt(each, 'status') === 'True',
  );

function unhealthyMayGo(budget: JsonObject): boolean {
  if (textAt(budget, 'spec', 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true;
  const desired = numberAt(budget, 'status', 'desiredHealthy') ?? 0;
  return (numberAt(budget, 'status', 'currentHealthy') ?? 0) >= desired && desired > 0;
}

function refuseExhausted(budget: JsonObject): void {
  const name = textAt(budget, 'metadata', 'name');
  const status = objectAt(budget, 'status');
  const allowed = numberAt(status, 'disruptionsAllowed') ?? 0;
  if ((numberAt(status, 'observedGeneration') ?? 0) < (numberAt(budget, 'metadata', 'generation') ?? 0)) {
    throw tooMany(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  if (allowed < 0) throw forbidden(budgetResource, name, 'pdb disruptions allowed is negative');
  if (Object.keys(objectAt(status, 'disruptedPods')).length > mostDisrupted) {
    throw forbidden(
      budgetResource,
      name,
      'DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    );
  }
  if (allowed === 0) throw tooMany(whyNone(name, status), 0);
}

function whyNone(name: string, status: JsonObject): string {
  const desired = numberAt(status, 'desiredHealthy') ?? 0;
  const current = numberAt(status, 'currentHealthy') ?? 0;
  const condition = listAt(status, 'conditions').find((each) => textAt(each, 'type') === 'DisruptionAllowed');
  const message = textAt(condition, 'status') === 'False' ? textAt(condition, 'message') : '';
  const reason = textAt(condition, 'reason');
  if (message !== '' && reason === 'SyncFailed') {
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${message}`;
  }
  if (current <= desired)
    return `The disruption budget ${name} needs ${desired} healthy pods and has ${current} currently`;
  if (message !== '')
    return `The disruption budget ${name} does not allow evicting pods currently (${reason}): ${message}`;
  return `The disruption budget ${name} does not allow evicting pods currently`;
}

const tooMany = (message: string, retryAfterSeconds: number) =>
  new StatusError(429, 'TooManyRequests', refusal, {
    causes: [{ reason: 'DisruptionBudget', message }],
    retryAfterSeconds,
  });

function setInsufficient(status: JsonObject, now: string): void {
  const known = listAt(status, 'conditions');
  const before = known.find((each) => textAt(each, 'type') === 'DisruptionAllowed');
  const condition: JsonObject = {
    type: 'DisruptionAllowed',
    status: 'False',
    observedGeneration: numberAt(status, 'observedGeneration') ?? 0,
    lastTransitionTime: textAt(before, 'status') === 'False' ? textAt(before, 'lastTransitionTime') : now,
    reason: 'InsufficientPods',
    message: '',
  };
  status['conditions'] =
    before === undefined ? [...known, condition] : known.map((each) => (each === before ? condition : each));
}

function checkEviction(pod: JsonObject, options: DeleteOptions): void {
  const name = textAt(pod, 'metadata', 'name');
  const uid = textAt(pod, 'metadata', 'uid');
  const version = textAt(pod, 'metadata', 'resourceVersion');
  if (options.uid !== undefined && options.uid !== uid) {
    throw conflict(
      podSubject,
      name,
      `the UID in the precondition (${options.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== version) {
    throw conflict(
      podSubject,
      name,
      `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${version}). The object might have been modified`,
    );
  }
}

function markDisrupted(pod: JsonObject, now: string): void {
  const status = objectAt(pod, 'status');
  const condition: JsonObject = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: now,
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  };
  const known = listAt(status, 'conditions');
  const before = known.find((each) => textAt(each, 'type') === 'DisruptionTarget');
  if (textAt(before, 'status') === 'True') condition['lastTransitionTime'] = textAt(before, 'lastTransitionTime');
  const observed = numberAt(before, 'observedGeneration');
  if (observed !== undefined) condition['observedGeneration'] = observed;
  status['conditions'] =
    before === undefined ? [...known, condition] : known.map((each) => (each === before ? condition : each));
  pod['status'] = status;
}
