import type { KubeClient } from '../kube/client.ts';
import { ConfigurationError, isNotFound, KubeApiError } from '../kube/errors.ts';
import type { ObjectKey } from '../kube/object.ts';
import type { Pod } from '../kube/resources.ts';
import { pods } from '../kube/resources.ts';
import { list } from '../model/phrases.ts';
import { dryRunMessages } from '../operator/admission/held-back.ts';
import { isCoverName } from '../operator/lock/foreign-cover.ts';
import { severalBudgets } from '../operator/lock/held-by-budget.ts';
import { isLockName } from '../operator/lock/lock-budget.ts';
import type { BudgetOver } from './budgets-over.ts';
import { budgetsOver } from './budgets-over.ts';

/** Whether a pod may go now, as Drover and the API server answer it. */
export interface Why {
  readonly pod: string;
  readonly node: string | null;
  /**
   * `unanswered`: the lock holds it, and Drover did not say why. `foreign-budget`: a disruption budget holds it that is not Drover's.
   * `several-budgets`: more than one selects it, and then the API server evicts it for nobody.
   */
  readonly answer: 'goes' | 'waits' | 'never' | 'unguarded' | 'unanswered' | 'foreign-budget' | 'several-budgets';
  /** In the words of whoever answered, and then what to do, where they do not say. */
  readonly reasons: readonly string[];
  /** The names of the budgets that the answer is about, as far as they are known. */
  readonly budgets: readonly string[];
}

type Answered = Pick<Why, 'answer' | 'reasons' | 'budgets'>;

/** Asks for the eviction of a pod as a dry run: what comes back is what a real one would meet, and nothing is changed. */
export async function askWhy(client: KubeClient, key: ObjectKey, signal: AbortSignal): Promise<Why> {
  const pod = await podOf(client, key, signal);
  const about = { pod: `${key.namespace}/${key.name}`, node: pod.spec.nodeName ?? null };
  const heard: string[] = [];
  const onWarning = (warning: string) => heard.push(warning.replace(/^drover: /, ''));
  try {
    const preconditions = { uid: pod.metadata.uid ?? '' };
    await client.evict(key, { signal, dryRun: true, preconditions, onWarning });
    return { ...about, answer: 'unguarded', reasons: heard, budgets: [] };
  } catch (error) {
    if (!(error instanceof KubeApiError)) throw error;
    const over = () => budgetsOver(client, pod, signal);
    const answered = await answerOf(error, heard, over, ` -n ${key.namespace}`);
    if (answered === undefined) throw error;
    return { ...about, ...answered };
  }
}

type Over = () => Promise<readonly BudgetOver[] | undefined>;

/** undefined: it is no answer of Drover's, nor of a budget. */
async function answerOf(
  error: KubeApiError,
  heard: readonly string[],
  over: Over,
  there: string,
): Promise<Answered | undefined> {
  const { status, message } = error;
  const words = message.replace(/^\S+ \S+: /, '').replace(/ \(\d+\)$/, '');
  const told = [words.replace(/^.*?denied the request: (?:drover: )?/, ''), ...heard];
  const plainly = (answer: Why['answer'], reasons: readonly string[]): Answered => ({ answer, reasons, budgets: [] });
  if (status === 404 && message.includes(dryRunMessages.waits)) return plainly('waits', heard);
  if (status === 404 && message.includes(dryRunMessages.nobodyLeads)) return byBudgetsAlone(await over(), heard, there);
  if (status === 404) {
    // Drover answers before any budget is asked: what it would let go somebody else's may still hold.
    const foreign = (message.includes(dryRunMessages.goes) ? await over() : [])?.filter(({ isLock }) => !isLock) ?? [];
    return heldAfterDrover(foreign, there) ?? plainly('goes', heard);
  }
  if (status === 500 && message.includes(severalBudgets)) return bySeveral((await over()) ?? [], words, there);
  if (status === 500 && isCoverName(/failed calling webhook "([^"]*)"/.exec(message)?.[1] ?? '')) {
    return plainly('unanswered', [words]);
  }
  if (status === 403 && message.includes('drover: ')) return plainly('never', told);
  if (status !== 429) return undefined;
  const cause = error.details?.causes?.find(({ reason }) => reason === 'DisruptionBudget')?.message;
  if (cause !== undefined) return byBudget(cause, (await over()) ?? [], told, there);
  // Another webhook's word.
  return message.includes('denied the request') ? plainly('waits', [words, ...heard]) : undefined;
}

function heldAfterDrover(foreign: readonly BudgetOver[], there: string): Answered | undefined {
  const drover = 'Drover itself would let it go';
  if (foreign.length > 1) return bySeveral(foreign, drover, there);
  const [budget] = foreign;
  return budget?.holds === undefined ? undefined : byForeign(budget.name, [budget.holds, drover], there);
}

/** Nobody at Drover could say: what a real eviction would meet are the budgets. Where these may not be read, it may well be locked. */
function byBudgetsAlone(over: readonly BudgetOver[] | undefined, heard: readonly string[], there: string): Answered {
  const [budget, ...more] = over ?? [];
  if (over !== undefined && more.length > 0) return bySeveral(over, heard.join('; '), there);
  if (over === undefined || budget?.isLock === true) {
    return { answer: 'unanswered', reasons: heard, budgets: budget === undefined ? [] : [budget.name] };
  }
  if (budget?.holds === undefined) return { answer: 'unguarded', reasons: heard, budgets: [] };
  return byForeign(budget.name, [budget.holds, ...heard], there);
}

/** Whose budget it is: by what it is, or where that may not be read, by its name in the API server's words. */
function byBudget(cause: string, over: readonly BudgetOver[], told: readonly string[], there: string): Answered {
  const name = /disruption budget (\S+)/.exec(cause)?.[1] ?? over[0]?.name;
  const isLock = over.find((budget) => budget.name === name)?.isLock ?? isLockName(name ?? '');
  if (isLock) return { answer: 'unanswered', reasons: told, budgets: name === undefined ? [] : [name] };
  return byForeign(name, [cause], there);
}

function byForeign(name: string | undefined, words: readonly string[], there: string): Answered {
  const look = name === undefined ? 'get pdb' : `describe pdb ${name}`;
  const next = `next: get more of the pods healthy that this budget counts, or change it (kubectl ${look}${there}); whoever drains goes on asking until then`;
  return { answer: 'foreign-budget', reasons: [...words, next], budgets: name === undefined ? [] : [name] };
}

function bySeveral(over: readonly BudgetOver[], words: string, there: string): Answered {
  const locks = over.filter(({ isLock }) => isLock).map(({ name }) => name);
  const steps =
    locks.length === 0
      ? `delete all of these budgets but one, or change their selectors (kubectl get pdb${there})`
      : locks.length === over.length
        ? `all of them are Drover’s locks: change the selectors of the guards, or of the roles, so that one has the pod (kubectl get evictionguards${there})`
        : `${list(locks)} is Drover’s lock, and gives way to the others within seconds where Drover runs: is it running?`;
  return { answer: 'several-budgets', reasons: [words, `next: ${steps}`], budgets: over.map(({ name }) => name) };
}

async function podOf(client: KubeClient, key: ObjectKey, signal: AbortSignal): Promise<Pod> {
  try {
    return await client.get(pods, key, { signal });
  } catch (error) {
    if (isNotFound(error)) throw new ConfigurationError(`there is no pod ${key.name} in namespace ${key.namespace}`);
    throw error;
  }
}
