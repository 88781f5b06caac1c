import { describe, expect, test } from 'vitest';
import { KubeClient } from '../../kube/client.ts';
import { seededRandom } from '../../kube/random.ts';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import type { Transport } from '../../kube/transport.ts';
import type { DrainPod } from '../../model/drain.ts';
import { at } from '../../model/testing/given.ts';
import { drain, guarded, node, pod } from '../../plan/testing/given-drain.ts';
import { askAhead } from './ask-ahead.ts';

const { signal } = new AbortController();
const denied = 'admission webhook "evict.drover.dev" denied the request: drover: ';
const cause = { reason: 'NotDrained', message: 's-1 stays: it is not drained yet' };
const details = { causes: [cause, { reason: 'InLine', message: 's-1 is next' }] };
const waits = { message: `${denied}it would wait first`, details };

/** An API server with one answer, which remembers for whom it was asked and how many asked at once. */
function answering(status: number, body: object, warnings: readonly string[] = []) {
  const seen = { asked: [] as unknown[], most: 0 };
  let inFlight = 0;
  const transport: Transport = {
    close: () => {},
    send: async (request) => {
      const { deleteOptions } = JSON.parse(String(request.body));
      seen.asked.push([request.path, deleteOptions]);
      seen.most = Math.max(seen.most, ++inFlight);
      await new Promise<void>((resolve) => setImmediate(resolve));
      inFlight -= 1;
      return { status, headers: {}, warnings, body: bytes(JSON.stringify({ kind: 'Status', ...body })) };
    },
  };
  const rateLimit = { perSecond: 1000, burst: 1000 };
  const client = new KubeClient({ transport, clock: new VirtualClock(), random: seededRandom(1), rateLimit });
  return { client, seen };
}

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

const because = (code: string, message: string) => ({
  reasons: [{ code, message, since: at(0), until: null }],
});
const unasked = (text: string, more: Partial<DrainPod> = {}) =>
  guarded(text, because('NotAskedYet', 'on record'), more);

describe('what nobody has asked for is asked for as a dry run', () => {
  const unanswered = 'Drover does not answer now, so why is not known: is its pod running?';
  const [first, second] = ['NotDrained: s-1 stays: it is not drained yet', 'InLine: s-1 is next'];

  test.each`
    what                         | status | body                                               | said
    ${'it would wait'}           | ${404} | ${waits}                                           | ${['wait', first, second]}
    ${'it would never go'}       | ${403} | ${{ message: `${denied}it never goes`, details }}  | ${['never', first, second]}
    ${'it would go'}             | ${404} | ${{ message: `${denied}it would go at once` }}     | ${['allow']}
    ${'without causes'}          | ${404} | ${{ message: `${denied}it would wait first` }}     | ${['wait', 'NotAskedYet: decided too long ago']}
    ${'nobody of ours answered'} | ${201} | ${{}}                                              | ${['wait', 'NotAskedYet: on record']}
    ${'the lock held it'}        | ${429} | ${{ message: 'it would violate the budget' }}      | ${['wait', `NotAskedYet: on record; ${unanswered}`]}
    ${'Drover refused it'}       | ${429} | ${{ message: `${denied}no leader` }}               | ${['wait', 'NotAskedYet: on record']}
    ${'it is gone'}              | ${404} | ${{ message: 'pods "s-1" not found' }}             | ${['wait', 'NotAskedYet: on record']}
    ${'one may not ask'}         | ${403} | ${{ message: 'jane cannot create pods/eviction' }} | ${['wait', 'NotAskedYet: on record']}
  `('$what: $said', async ({ status, body, said }) => {
    const { client, seen } = answering(status, body, ['drover: decided too long ago']);
    const { nodes } = await askAhead(client, drain([node('n1', [unasked('s-1')])]), signal);
    const word = nodes[0]?.pods?.[0]?.guarded;
    expect([word?.verdict, ...(word?.reasons ?? []).map(({ code, message }) => `${code}: ${message}`)]).toEqual(said);
    const options = { dryRun: ['All'], preconditions: { uid: 'uid-db/s-1' } };
    expect(seen.asked).toEqual([['/api/v1/namespaces/db/pods/s-1/eviction', options]]);
  });

  test.each<[string, DrainPod]>([
    ['somebody asked for', guarded('s-1', because('NotDrained', 'on record'))],
    ['nobody guards', pod('db/s-1')],
    ['has ended', unasked('s-1', { finished: true })],
    ['is going', unasked('s-1', { deletingSince: at(0) })],
  ])('and nothing else: what %s', async (_, one) => {
    const { client, seen } = answering(404, waits);
    const given = drain([node('n1', [one]), node('n2', [], { pods: null })]);
    expect(await askAhead(client, given, signal)).toEqual(given);
    expect(seen.asked).toEqual([]);
  });

  test('a few at once, and so many in all', async () => {
    const { client, seen } = answering(404, waits);
    const many = Array.from({ length: 250 }, (_, index) => unasked(`s-${index}`));
    const { nodes } = await askAhead(client, drain([node('n1', many)]), signal);
    const codes = nodes[0]?.pods?.map(({ guarded: word }) => word?.reasons[0]?.code) ?? [];
    expect([codes.lastIndexOf('NotDrained'), codes.indexOf('NotAskedYet')]).toEqual([199, 200]);
    expect({ asked: seen.asked.length, most: seen.most }).toEqual({ asked: 200, most: 8 });
  });
});
