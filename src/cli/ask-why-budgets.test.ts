import { describe, expect, test } from 'vitest';
import { guardedStore, ledgerGuard } from '../embedded/operated/testing/guarded-store.ts';
import { KubeClient } from '../kube/client.ts';
import { seededRandom } from '../kube/random.ts';
import type { Pod } from '../kube/resources.ts';
import { pods } from '../kube/resources.ts';
import { VirtualClock } from '../kube/testing/virtual-clock.ts';
import type { Transport } from '../kube/transport.ts';
import { dryRunMessages } from '../operator/admission/held-back.ts';
import type { DisruptionBudget } from '../operator/lock/lock-budget.ts';
import { disruptionBudgets } from '../operator/lock/lock-budget.ts';
import { askWhy } from './ask-why.ts';
import type { CountedBudget } from './budgets-over.ts';
import { whyHeld } from './budgets-over.ts';

const { signal } = new AbortController();
const call = { signal };

const budget = (name: string, app: string, spec: DisruptionBudget['spec']): DisruptionBudget => ({
  metadata: { namespace: 'db', name },
  spec: { ...spec, selector: { matchLabels: { app } } },
});
/** Lets none of its pods go, and any one. */
const strict = { minAvailable: 100 };
const lenient = { minAvailable: 0 };

const web: Pod = {
  metadata: { namespace: 'db', name: 'web', labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image: 'w' }] },
};

/** Which budgets there are besides the guard of the ledger, and what is said of a pod then. */
async function saidUnder(budgets: readonly DisruptionBudget[], name: string, alive = true) {
  const { world } = await guardedStore();
  await world.people.create(pods, web, call);
  await world.pass(10);
  if (!alive) await world.killOperator();
  for (const one of budgets) await world.people.create(disruptionBudgets, one, call);
  await world.pass(10);
  const { answer, budgets: named, reasons } = await askWhy(world.people, { namespace: 'db', name }, signal);
  return { answer, named, reasons: reasons.join('\n') };
}

describe('a pod that somebody else’s budget selects', () => {
  test.each<[string, readonly DisruptionBudget[], string, string, RegExp]>([
    ['a budget that lets it go', [budget('shop', 'web', lenient)], 'web', 'unguarded: ', /^$/],
    [
      'a budget that holds it: its own words, and what to do',
      [budget('shop', 'web', strict)],
      'web',
      'foreign-budget: shop',
      /^The disruption budget shop needs 100 healthy pods and has 1 currently\nnext: .*kubectl describe pdb shop -n db/,
    ],
    [
      'two budgets',
      [budget('shop', 'web', lenient), budget('all', 'web', lenient)],
      'web',
      'several-budgets: all, shop',
      /more than one PodDisruptionBudget.*\nnext: delete all of these budgets but one/,
    ],
    [
      'a guard that would let it go, and a budget that does too',
      [budget('chart', 'ledger', lenient)],
      'ledger-0',
      'goes: ',
      /would go at once/,
    ],
    [
      'a guard that would let it go, and a budget that holds it',
      [budget('chart', 'ledger', strict)],
      'ledger-0',
      'foreign-budget: chart',
      /^The disruption budget chart needs 100 healthy pods and has 4 currently\nDrover itself would let it go\nnext: /,
    ],
    [
      'a guard that would let it go, and two budgets',
      [budget('chart', 'ledger', lenient), budget('other', 'ledger', lenient)],
      'ledger-0',
      'several-budgets: chart, other',
      /^Drover itself would let it go\nnext: delete all of these budgets but one/,
    ],
  ])('%s', async (_, budgets, pod, answer, words) => {
    const said = await saidUnder(budgets, pod);
    expect(`${said.answer}: ${said.named.join(', ')}`).toBe(answer);
    expect(said.reasons).toMatch(words);
  });

  test('and a lock of Drover’s: that is said of both, and whose the lock is', async () => {
    expect(await saidUnder([budget('chart', 'ledger', lenient)], 'ledger-0', false)).toEqual({
      answer: 'several-budgets',
      named: ['chart', 'drover-guard-ledger.shard'],
      reasons: expect.stringContaining('next: drover-guard-ledger.shard is Drover’s lock, and gives way to the others'),
    });
  });

  test('and that two guards would lock: both are Drover’s', async () => {
    const guarded = await guardedStore();
    await guarded.change({
      roles: [...ledgerGuard.roles, { name: 'other', selector: { matchLabels: { tier: 'shard' } } }],
    });
    await guarded.world.pass(10);
    expect(await askWhy(guarded.world.people, { namespace: 'db', name: 'ledger-0' }, signal)).toMatchObject({
      answer: 'several-budgets',
      budgets: ['drover-guard-ledger.other', 'drover-guard-ledger.shard'],
      reasons: [expect.anything(), expect.stringContaining('all of them are Drover’s locks')],
    });
  });

  test('and that the webhook covers which fails closed: Drover does not answer', async () => {
    const guarded = await guardedStore();
    await guarded.world.people.create(disruptionBudgets, budget('chart', 'ledger', lenient), call);
    await guarded.world.pass(10);
    await guarded.world.killOperator();
    expect(await askWhy(guarded.world.people, { namespace: 'db', name: 'ledger-0' }, signal)).toMatchObject({
      answer: 'unanswered',
      reasons: [expect.stringContaining('foreign.drover.dev')],
    });
  });
});

/** An API server that has the pod, answers its eviction with this, and has these budgets, or lets nobody list them. */
function answering(status: number, body: object, budgets?: readonly CountedBudget[]): KubeClient {
  const listed =
    budgets === undefined
      ? { status: 403, body: { reason: 'Forbidden', message: 'you may not' } }
      : { status: 200, body: { metadata: { resourceVersion: '1' }, items: budgets } };
  const transport: Transport = {
    close: () => {},
    send: async ({ path }) => {
      const answer = path.endsWith('/eviction')
        ? { status, body: { kind: 'Status', apiVersion: 'v1', ...body } }
        : path.includes('/poddisruptionbudgets')
          ? listed
          : { status: 200, body: web };
      return { status: answer.status, headers: {}, warnings: [], body: bytes(JSON.stringify(answer.body)) };
    },
  };
  return new KubeClient({ transport, clock: new VirtualClock(), random: seededRandom(1) });
}

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

const held = (words: string) => ({
  message: "Cannot evict pod as it would violate the pod's disruption budget.",
  details: { causes: [{ reason: 'DisruptionBudget', message: words }] },
});
const denied = (words: string) => ({ message: `admission webhook "w.example.com" denied the request: ${words}` });

describe('where nobody of Drover leads, the budgets say what an eviction would meet', () => {
  const status = { observedGeneration: 1, desiredHealthy: 2, currentHealthy: 2 };
  const counted = (name: string, disruptionsAllowed: number): CountedBudget => ({
    ...budget(name, 'web', strict),
    status: { ...status, disruptionsAllowed, currentHealthy: disruptionsAllowed === 0 ? 1 : 2 },
  });
  test.each<[string, readonly CountedBudget[] | undefined, string]>([
    ['a lock', [counted('drover-cluster-orders.log', 0)], 'unanswered: drover-cluster-orders.log'],
    ['none', [], 'unguarded: '],
    ['one that lets it go', [counted('shop', 1)], 'unguarded: '],
    ['one that holds it', [counted('shop', 0)], 'foreign-budget: shop'],
    ['two', [counted('shop', 1), counted('all', 1)], 'several-budgets: all, shop'],
    ['not to be listed', undefined, 'unanswered: '],
  ])('%s', async (_, budgets, expected) => {
    const client = answering(404, denied(dryRunMessages.nobodyLeads), budgets);
    const why = await askWhy(client, { namespace: 'db', name: 'web' }, signal);
    expect(`${why.answer}: ${why.budgets.join(', ')}`).toBe(expected);
  });
});

describe('where the budgets may not be listed', () => {
  test.each<[string, number, object, string, string]>([
    [
      'the API server’s words name the budget',
      429,
      held('The disruption budget shop needs 2 healthy pods and has 2 currently'),
      'foreign-budget: shop',
      'The disruption budget shop needs 2',
    ],
    [
      'or do not',
      429,
      held('No.'),
      'foreign-budget: ',
      'No.\nnext: get more of the pods healthy that this budget counts, or change it (kubectl get pdb -n db)',
    ],
    [
      'the name is that of a lock',
      429,
      held('The disruption budget drover-cluster-orders.log needs 2147483647 healthy pods and has 2 currently'),
      'unanswered: drover-cluster-orders.log',
      'Cannot evict pod',
    ],
    [
      'there are several',
      500,
      { message: 'This pod has more than one PodDisruptionBudget, which …' },
      'several-budgets: ',
      'next: delete all of these budgets but one',
    ],
    ['Drover would let it go', 404, denied('drover: it would go at once'), 'goes: ', ''],
    ['another webhook says not now', 429, denied('later'), 'waits: ', '"w.example.com" denied the request: later'],
  ])('%s', async (_, status, body, answer, words) => {
    const why = await askWhy(answering(status, body), { namespace: 'db', name: 'web' }, signal);
    expect(`${why.answer}: ${why.budgets.join(', ')}`).toBe(answer);
    expect(why.reasons.join('\n')).toContain(words);
  });

  test.each([
    ['a server that is too busy to answer', 429, { message: 'Too many requests, please try again later.' }],
    ['another error', 500, { message: 'etcd is gone' }],
  ])('%s is no answer', async (_, status, body) => {
    await expect(askWhy(answering(status, body), { namespace: 'db', name: 'web' }, signal)).rejects.toThrow(
      body.message,
    );
  });
});

describe('what a budget would say, as the API server judges it', () => {
  const ready = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' as const }] } };
  const full = { observedGeneration: 1, disruptionsAllowed: 0, desiredHealthy: 2, currentHealthy: 2 };
  const failed = { type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message: 'no scale' };
  test.each<[string, CountedBudget['status'], CountedBudget['spec'], object, string | undefined]>([
    ['one may go', { ...full, disruptionsAllowed: 1 }, {}, ready, undefined],
    ['none may go', full, {}, ready, 'shop needs 2 healthy pods and has 2 currently'],
    [
      'it was not read yet',
      { ...full, observedGeneration: 0, disruptionsAllowed: 1 },
      {},
      ready,
      'still being processed',
    ],
    ['it has no status', undefined, {}, ready, 'still being processed'],
    ['it cannot be counted', { ...full, conditions: [failed] }, {}, ready, 'because it failed sync: no scale'],
    ['the pod is not ready, and costs nothing', full, {}, {}, undefined],
    ['the pod is not ready, and neither are others', { ...full, currentHealthy: 1 }, {}, {}, 'has 1 currently'],
    [
      'the pod is not ready, and such may always go',
      { ...full, currentHealthy: 1 },
      { unhealthyPodEvictionPolicy: 'AlwaysAllow' },
      {},
      undefined,
    ],
  ])('%s', (_, status, spec, pod, words) => {
    const metadata = { namespace: 'db', name: 'shop', generation: 1 };
    const said = whyHeld({ metadata, ...(spec && { spec }), ...(status && { status }) }, { ...web, ...pod });
    if (words === undefined) expect(said).toBeUndefined();
    else expect(said).toContain(words);
  });
});
