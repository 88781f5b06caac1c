import { isDeepStrictEqual } from 'node:util';
import { jsonCodec } from '../../kube/codec.ts';
import { describeError } from '../../kube/error-description.ts';
import { isAlreadyExists, isConflict, isNotFound, KubeApiError, wordsOf } from '../../kube/errors.ts';
import type { Informer, Readable } from '../../kube/informer.ts';
import type { Labels } from '../../kube/label-selection.ts';
import type { KeyText } from '../../kube/object.ts';
import { keyText, parseKey } from '../../kube/object.ts';
import { name } from '../../model/ids.ts';
import type { MissingBudget } from '../../model/snapshot.ts';
import type { ControllerContext } from '../controller.ts';
import type { BudgetView } from './budget-view.ts';
import { budgetView, isLockOf } from './budget-view.ts';
import { CoverKeeper } from './cover-keeper.ts';
import { GuardedNamespaces } from './guarded-namespaces.ts';
import type { DisruptionBudget } from './lock-budget.ts';
import { disruptionBudgets, lockBudget } from './lock-budget.ts';
import type { LockOwner, StaffedRole } from './lock-owner.ts';
import type { LockState } from './lock-state.ts';
import { locked } from './lock-state.ts';
import { lockable } from './lockable.ts';

type Parts = Pick<ControllerContext, 'informer' | 'client' | 'own' | 'coversForeign'>;

/** Who is told what has changed about locks. */
export interface LockListener {
  /** A budget came, changed or went in a namespace, or its mark did. */
  readonly namespace: (namespace: string) => void;
  /** The cover of an owner's pods changed; the owner may be gone. */
  readonly owner: (key: KeyText) => void;
}

/**
 * Keeps the locks: one disruption budget for each locked role, there before the pods are, as it should be, and gone with the role. Where somebody
 * else's budget selects pods of a role that lock steps aside, because the API server answers 500 to everyone where there are two, and a webhook
 * covers these pods instead.
 */
export class LockKeeper {
  readonly #client: Parts['client'];
  readonly #budgets: Informer<BudgetView, 'namespace'>;
  readonly #namespaces: GuardedNamespaces;
  readonly #cover: CoverKeeper;
  readonly informers: readonly Readable[];

  constructor(parts: Parts) {
    const { informer, client } = parts;
    this.#client = client;
    this.#budgets = informer<BudgetView, 'namespace'>({
      resource: disruptionBudgets,
      codec: jsonCodec<DisruptionBudget, BudgetView>(budgetView),
      key: ({ key }) => key,
      version: ({ version }) => version,
      indexes: { namespace: ({ namespace }) => [namespace] },
    });
    this.#namespaces = new GuardedNamespaces({ informer, client });
    this.#cover = new CoverKeeper(parts);
    this.informers = [this.#budgets, this.#namespaces.informer, ...this.#cover.informers];
  }

  /** Tells what concerns the owners of one kind. Call the result to stop. */
  subscribe(kind: LockOwner['kind'], hear: LockListener): () => void {
    const tell = ({ namespace }: BudgetView) => hear.namespace(namespace);
    const stopBudgets = this.#budgets.cache.subscribe({
      added: tell,
      // The API server counts pods in the status of each, which is no news.
      updated: (now, before) => {
        if (!isDeepStrictEqual({ ...now, version: '' }, { ...before, version: '' })) tell(now);
      },
      deleted: tell,
    });
    const stopNamespaces = this.#namespaces.subscribe(hear.namespace);
    const stopCover = this.#cover.subscribe(kind, hear.owner);
    return () => {
      stopBudgets();
      stopNamespaces();
      stopCover();
    };
  }

  /**
   * Brings the locks of one owner to where they should be. `podLabels` are those of its pods, or of the pods that it is about to make. What is refused
   * keeps nothing else from being locked, and nothing is taken away before all that should be there is.
   */
  async keep(
    owner: LockOwner,
    roles: readonly StaffedRole[],
    podLabels: readonly Labels[],
    signal: AbortSignal,
  ): Promise<LockState> {
    const there = this.#budgets.cache.find('namespace', owner.namespace);
    const { roles: free, bare, obstacle } = lockable(owner, roles, there, podLabels);
    const uncoverable = bare.flatMap(({ pods }) => pods);
    const refusals = new Refusals();
    await refusals.heed(() => this.#namespaces.mark(owner.namespace, signal));
    let uncovered: string | undefined;
    // Nothing is open for a moment: covered before the lock goes, and until it is back.
    if (bare.length > 0) {
      await refusals.heed(async () => {
        uncovered = await this.#cover.widen(owner, uncoverable, signal);
      });
    }
    const missing = await this.#make(owner, free, refusals, signal);
    if (refusals.why !== undefined) return { is: 'missing', why: refusals.why, budgets: missing };
    await refusals.heed(async () => {
      const names = new Set(free.map((role) => keyText(lockBudget(owner, role).metadata)));
      for (const one of there) if (isLockOf(owner, one) && !names.has(one.key)) await this.#delete(one.key, signal);
      if (uncovered === undefined) await this.#cover.narrow(owner, uncoverable, signal);
    });
    if (refusals.why !== undefined) return { is: 'missing', why: refusals.why, budgets: [] };
    return obstacle?.is === 'foreign' ? { ...obstacle, uncovered } : (obstacle ?? locked);
  }

  /** Gives those that are not there after that. */
  async #make(
    owner: LockOwner,
    roles: readonly StaffedRole[],
    refusals: Refusals,
    signal: AbortSignal,
  ): Promise<readonly MissingBudget[]> {
    const missing: MissingBudget[] = [];
    for (const role of roles) {
      const budget = lockBudget(owner, role);
      const refusal = await refusals.heed(() => this.#write(owner, budget, signal));
      if (refusal === undefined || this.#budgets.cache.get(keyText(budget.metadata)) !== undefined) continue;
      missing.push({ role: name(role.role), budget: budget.metadata.name, message: wordsOf(refusal) });
    }
    return missing;
  }

  /** Opens everything that an owner had locked, now: the garbage collector does the same, some time after the owner is gone. */
  async release(kind: LockOwner['kind'], key: KeyText, signal: AbortSignal): Promise<void> {
    const { namespace = '', name } = parseKey(key);
    for (const { key: budget, lockOf } of this.#budgets.cache.find('namespace', namespace)) {
      if (lockOf?.kind === kind && lockOf.name === name) await this.#delete(budget, signal);
    }
  }

  /** The owner is gone, and its budgets with it: the garbage collector sees to that. */
  async leave(kind: LockOwner['kind'], key: KeyText, signal: AbortSignal): Promise<void> {
    const { namespace = '', name } = parseKey(key);
    await this.#cover.narrow({ kind, namespace, name }, [], signal);
    const isAnother = ({ lockOf }: BudgetView) =>
      lockOf !== undefined && (lockOf.kind !== kind || lockOf.name !== name);
    if (!this.#budgets.cache.find('namespace', namespace).some(isAnother))
      await this.#namespaces.unmark(namespace, signal);
  }

  async #write(owner: LockOwner, budget: DisruptionBudget, signal: AbortSignal): Promise<void> {
    const options = { signal, fieldManager: 'drover' };
    const known = this.#budgets.cache.get(keyText(budget.metadata));
    if (known === undefined) {
      try {
        await this.#client.create(disruptionBudgets, budget, options);
      } catch (error) {
        // Made a moment ago: the watch has not told of it yet, and looks at it then.
        if (!isAlreadyExists(error)) throw error;
      }
      return;
    }
    if (isLockOf(owner, known) && isDeepStrictEqual(known.spec, budget.spec)) return;
    const metadata = { ...budget.metadata, resourceVersion: known.version };
    await this.#client.update(disruptionBudgets, { ...budget, metadata }, options);
  }

  async #delete(key: KeyText, signal: AbortSignal): Promise<void> {
    try {
      await this.#client.delete(disruptionBudgets, parseKey(key), { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/** What the API server did not take. A conflict is no refusal: it is looked at again. */
class Refusals {
  readonly #words = new Set<string>();

  /** In the server's words; undefined: nothing was refused. */
  get why(): string | undefined {
    return this.#words.size === 0 ? undefined : [...this.#words].join('; ');
  }

  async heed(work: () => Promise<void>): Promise<KubeApiError | undefined> {
    try {
      await work();
      return undefined;
    } catch (error) {
      if (!(error instanceof KubeApiError) || isConflict(error)) throw error;
      this.#words.add(describeError(error).message);
      return error;
    }
  }
}
