import { describe, expect, test } from 'vitest';
import { KubeClient } from '../../kube/client.ts';
import { seededRandom } from '../../kube/random.ts';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import type { Transport } from '../../kube/transport.ts';
import { name } from '../../model/ids.ts';
import { evict } from './evict.ts';

/** An API server with one answer, which remembers what it was asked. */
function answering(status: number, body: object): { readonly client: KubeClient; readonly asked: unknown[] } {
  const asked: unknown[] = [];
  const transport: Transport = {
    close: () => {},
    send: async (request) => {
      asked.push({ path: request.path, ...JSON.parse(String(request.body)) });
      return {
        status,
        headers: {},
        warnings: [],
        body: bytes(JSON.stringify({ kind: 'Status', apiVersion: 'v1', ...body })),
      };
    },
  };
  return { client: new KubeClient({ transport, clock: new VirtualClock(), random: seededRandom(1) }), asked };
}

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

const pod = (budgets: readonly string[]) => ({
  name: 'shop/web-1',
  node: name<never>('n1'),
  budgets,
  precondition: { uid: name<never>('u1') },
});
const signal = new AbortController().signal;
const byBudget = {
  reason: 'TooManyRequests',
  message: "Cannot evict pod as it would violate the pod's disruption budget.",
  details: {
    causes: [
      { reason: 'DisruptionBudget', message: 'The disruption budget web needs 2 healthy pods and has 2 currently' },
    ],
  },
};
const byWebhook = {
  reason: 'TooManyRequests',
  message: 'admission webhook "evict.drover.dev" denied the request: drover: db/db-0 is held',
  details: { causes: [{ reason: 'LastReplica', message: 'one of several causes, all of which are in the message' }] },
};
const twice = {
  message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
};

describe('what comes of an eviction', () => {
  test.each`
    status | body                      | budgets         | outcome
    ${201} | ${{}}                     | ${[]}           | ${'evicted'}
    ${404} | ${{ reason: 'NotFound' }} | ${[]}           | ${'gone'}
    ${409} | ${{ reason: 'Conflict' }} | ${[]}           | ${'again'}
    ${429} | ${byBudget}               | ${['shop/web']} | ${'BudgetHolds: shop/web-1 is held by the disruption budget shop/web: The disruption budget web needs 2 healthy pods and has 2 currently'}
    ${429} | ${byWebhook}              | ${['shop/web']} | ${'EvictionRefused: shop/web-1 is not evicted: admission webhook "evict.drover.dev" denied the request: drover: db/db-0 is held'}
    ${500} | ${twice}                  | ${['a/b', 'c']} | ${'SeveralBudgets: shop/web-1 cannot be evicted by anybody: a/b and c all select it, and the API server takes one budget at most'}
    ${500} | ${{ message: 'no disk' }} | ${[]}           | ${'EvictionRefused: shop/web-1 is not evicted: no disk'}
    ${403} | ${{ message: 'not you' }} | ${[]}           | ${'EvictionRefused: shop/web-1 is not evicted: not you'}
  `('$status $body.message: $outcome', async ({ status, body, budgets, outcome }) => {
    const answer = await evict(answering(status, body).client, pod(budgets), null, signal);
    const { code, message } = answer.outcome === 'refused' ? answer.why('shop/web-1') : { code: '', message: '' };
    expect(answer.outcome === 'refused' ? `${code}: ${message}` : answer.outcome).toBe(outcome);
  });

  test('asks for this very pod and no other, with the grace period that was given', async () => {
    const { client, asked } = answering(201, {});
    await evict(client, pod([]), null, signal);
    await evict(client, pod([]), 0, signal);
    expect(asked).toMatchObject([
      { path: '/api/v1/namespaces/shop/pods/web-1/eviction', deleteOptions: { preconditions: { uid: 'u1' } } },
      { deleteOptions: { preconditions: { uid: 'u1' }, gracePeriodSeconds: 0 } },
    ]);
    expect(asked[0]).not.toHaveProperty('deleteOptions.gracePeriodSeconds');
  });
});
