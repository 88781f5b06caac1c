import type { KubeClient } from '../../../kube/client.ts';
import { fromTimestamp, millis, minutes } from '../../../kube/clock.ts';
import { after, done, type Next } from '../../../kube/controller.ts';
import { type KeyText, parseKey } from '../../../kube/object.ts';
import { pods } from '../../../kube/resources.ts';
import { at, equal, isObject, type JsonObject, listAt, numberAt, objectAt, textAt } from '../../api-server/json.ts';
import { matchLabelSelector } from '../../api-server/label-selector.ts';
import { conditionOf } from '../condition-view.ts';
import { type ClusterContext, clientFor, controllerUser } from '../context.ts';
import { generationOf } from '../node-view.ts';
import { unlessGone } from '../overtaken.ts';
import { hasEnded, isDeleting, isReady, type PodView, podAt, podsOf, podView } from '../pod-view.ts';
import { changedKey, type Part, Reconciler } from '../reconciler.ts';
import { rememberedView } from '../remembered-view.ts';
import { budgets, storedAs } from '../resources.ts';
import { type BudgetCount, countBudget } from './budget-count.ts';
import { ScaleUnknown } from './expected-scale.ts';

/** After this long a pod that was to be disrupted and still lives is no longer marked so. */
const staleAfter = minutes(2);
/** How often a budget is looked at whose owners cannot be asked; a change of its pods brings it back before. */
const failedAgain = minutes(10);
const podPrefix = 'pod:';

/** Keeps the status of disruption budgets, and takes back `DisruptionTarget` from pods that were not disrupted after all. */
export class DisruptionController implements Part {
  readonly #context: ClusterContext;
  readonly #client: KubeClient;
  readonly #reconciler: Reconciler;

  constructor(context: ClusterContext) {
    this.#context = context;
    this.#client = clientFor(context, controllerUser('disruption-controller'), 'kube-controller-manager');
    this.#reconciler = new Reconciler(context, (key) => this.#reconcile(key));
    this.#reconciler.listen(storedAs.budgets, (change) => {
      if (change.type !== 'DELETED') this.#reconciler.add(changedKey(change));
    });
    this.#reconciler.listen(storedAs.pods, ({ type, stored, previous }) => {
      const pod = podView(stored.object);
      const before = previous === undefined ? undefined : podView(previous.object);
      if (conditionOf(pod, 'DisruptionTarget')?.status === 'True') this.#reconciler.add(`${podPrefix}${pod.key}`);
      if (type !== 'MODIFIED' || before === undefined || countsOtherwise(pod, before)) this.#wakeBudgets(pod, before);
    });
    // How many pods an owner wants is asked when its budget is looked at.
    this.#reconciler.listen(storedAs.statefulSets, ({ namespace }) => this.#wakeNamespace(namespace));
  }

  stop(): Promise<void> {
    return this.#reconciler.stop();
  }

  #wakeBudgets(pod: PodView, before: PodView | undefined): void {
    for (const { object } of this.#context.world.store.collection(storedAs.budgets).entries(pod.namespace)) {
      const selects = selectionOf(object);
      const isMine = selects(pod.labels) || (before !== undefined && selects(before.labels));
      if (isMine) this.#reconciler.add(`${pod.namespace}/${textAt(object, 'metadata', 'name')}`);
    }
  }

  #wakeNamespace(namespace: string): void {
    for (const { object } of this.#context.world.store.collection(storedAs.budgets).entries(namespace)) {
      this.#reconciler.add(`${namespace}/${textAt(object, 'metadata', 'name')}`);
    }
  }

  async #reconcile(key: KeyText): Promise<Next> {
    if (key.startsWith(podPrefix)) return this.#unmarkStale(key.slice(podPrefix.length));
    const { world, clock } = this.#context;
    const { namespace = '', name } = parseKey(key);
    const budget = world.store.collection(storedAs.budgets).get(namespace, name)?.object;
    if (budget === undefined) return done;
    const selects = selectionOf(budget);
    const guarded = [...podsOf(world, namespace)].filter((pod) => selects(pod.labels));
    try {
      const count = countBudget(world, budget, guarded, clock.now());
      await this.#write(budget, statusOf(budget, count, world.now()));
      return count.recheckAt === undefined ? done : after(millis(count.recheckAt + 1 - clock.now()));
    } catch (error) {
      if (!(error instanceof ScaleUnknown)) throw error;
      await this.#write(budget, failedStatus(budget, error.message, world.now()));
      return after(failedAgain);
    }
  }

  async #write(budget: JsonObject, status: JsonObject): Promise<void> {
    if (equal(objectAt(budget, 'status'), status)) return;
    const { namespace, name, resourceVersion } = identityOf(budget);
    // The whole status at once: a grant that happened since is a conflict and is counted in the next try.
    const object = {
      ...budget,
      metadata: { ...objectAt(budget, 'metadata'), namespace, name, resourceVersion },
      status,
    };
    await unlessGone(this.#client.update(budgets, object, { signal: this.#context.signal, subresource: 'status' }));
  }

  async #unmarkStale(key: KeyText): Promise<Next> {
    const { world, clock, signal } = this.#context;
    const { namespace = '', name } = parseKey(key);
    const pod = podAt(world, namespace, name);
    const mark = pod === undefined ? undefined : conditionOf(pod, 'DisruptionTarget');
    if (pod === undefined || mark?.status !== 'True' || isDeleting(pod) || hasEnded(pod)) return done;
    if (mark.reason === 'TerminationByKubelet') return done;
    const due = (fromTimestamp(mark.lastTransitionTime) ?? clock.now()) + staleAfter;
    if (due > clock.now()) return after(millis(due - clock.now()));
    const condition = {
      type: 'DisruptionTarget',
      status: 'False',
      reason: null,
      message: null,
      lastTransitionTime: world.now(),
    };
    const body = { metadata: { uid: pod.uid }, status: { conditions: [condition] } };
    await unlessGone(this.#client.patch(pods, pod, { type: 'strategic', body }, { signal, subresource: 'status' }));
    return done;
  }
}

const selectionOf = rememberedView((budget) => matchLabelSelector(at(budget, 'spec', 'selector')));

function countsOtherwise(pod: PodView, before: PodView): boolean {
  return (
    isReady(pod) !== isReady(before) ||
    isDeleting(pod) !== isDeleting(before) ||
    pod.controller?.uid !== before.controller?.uid ||
    !equal(pod.labels, before.labels)
  );
}

const identityOf = (object: JsonObject) => ({
  namespace: textAt(object, 'metadata', 'namespace'),
  name: textAt(object, 'metadata', 'name'),
  resourceVersion: textAt(object, 'metadata', 'resourceVersion'),
});

function statusOf(budget: JsonObject, count: BudgetCount, now: string): JsonObject {
  const { currentHealthy, desiredHealthy, expectedPods, disruptionsAllowed, disruptedPods } = count;
  const isOpen = disruptionsAllowed > 0;
  const observedGeneration = generationOf(budget);
  return {
    ...(Object.keys(disruptedPods).length > 0 && { disruptedPods: { ...disruptedPods } }),
    currentHealthy,
    desiredHealthy,
    disruptionsAllowed,
    expectedPods,
    observedGeneration,
    conditions: withCondition(budget, {
      type: 'DisruptionAllowed',
      status: isOpen ? 'True' : 'False',
      reason: isOpen ? 'SufficientPods' : 'InsufficientPods',
      message: '',
      observedGeneration,
      lastTransitionTime: now,
    }),
  };
}

/** `failSafe`: nothing may go, and the generation is not seen, so that the API server answers that it is still being processed. */
function failedStatus(budget: JsonObject, message: string, now: string): JsonObject {
  const observedGeneration = numberAt(budget, 'status', 'observedGeneration') ?? 0;
  return {
    ...objectAt(budget, 'status'),
    disruptionsAllowed: 0,
    conditions: withCondition(budget, {
      type: 'DisruptionAllowed',
      status: 'False',
      reason: 'SyncFailed',
      message,
      ...(observedGeneration > 0 && { observedGeneration }),
      lastTransitionTime: now,
    }),
  };
}

function withCondition(budget: JsonObject, condition: JsonObject): JsonObject[] {
  const known = listAt(budget, 'status', 'conditions').filter(isObject);
  const before = known.find((each) => textAt(each, 'type') === condition['type']);
  const isSame = before !== undefined && before['status'] === condition['status'];
  const next = { ...condition, ...(isSame && { lastTransitionTime: textAt(before, 'lastTransitionTime') }) };
  return before === undefined ? [...known, next] : known.map((each) => (each === before ? next : each));
}
