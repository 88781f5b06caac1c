import { describe, expect, test } from 'vitest';
import { KubeClient } from '../../kube/client.ts';
import { isConflict, isNotFound } from '../../kube/errors.ts';
import type { KubeObject } from '../../kube/object.ts';
import { seededRandom } from '../../kube/random.ts';
import { FakeApi } from '../../kube/testing/fake-api.ts';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import type { TransportRequest } from '../../kube/transport.ts';
import { name } from '../../model/ids.ts';
import { reasons } from '../../model/reasons.ts';
import { Desk } from './desk.ts';
import { Turnkey } from './turnkey.ts';

const path = '/api/v1/namespaces/db/pods/orders-storage-1';
const alive = new AbortController().signal;
const reason = reasons.ruleHolds({ group: 'storage-1', by: 'jane' });

/** One pod, whose lock is open or not, and what is sent about it. */
function given({ isOpen = false, onEviction }: { isOpen?: boolean; onEviction?: (desk: Desk) => void } = {}) {
  const clock = new VirtualClock();
  const api = new FakeApi(clock);
  api.put(path, { metadata: { namespace: 'db', name: 'orders-storage-1', uid: 'u1' } });
  const evicted: string[] = [];
  const send = api.send.bind(api);
  const transport = {
    close: () => {},
    send: (request: TransportRequest, signal: AbortSignal) => {
      if (request.path.includes('/eviction')) {
        evicted.push(request.body ?? '');
        onEviction?.(desk);
      }
      return send(request, signal);
    },
  };
  const client = new KubeClient({ transport, clock, random: seededRandom(1) });
  const desk = new Desk(clock);
  const turnkey = new Turnkey(client, desk, 'db', () => isOpen);
  const turn = (act: 'let-go' | 'close', { uid = 'u1', resourceVersion = '1' } = {}) =>
    turnkey.turn(
      { act, group: name('storage-1'), pod: { uid: name(uid), resourceVersion }, reason },
      'orders-storage-1',
      alive,
    );
  const label = () => api.at<KubeObject>(path)?.metadata.labels?.['drover.dev/guard'];
  return { api, desk, turn, label, evicted };
}

describe('letting a pod go', () => {
  test('opens it and evicts it by its uid where nobody waits', async () => {
    const { turn, label, evicted } = given();
    await turn('let-go');
    expect(label()).toBe('open');
    expect(evicted.map((body) => JSON.parse(body).deleteOptions.preconditions)).toEqual([{ uid: 'u1' }]);
  });

  test('is known to evict it for as long as that is not answered', async () => {
    const { turn, desk, evicted } = given({ onEviction: (known) => expect(known.isEvicting(name('u1'))).toBe(true) });
    await turn('let-go');
    expect(evicted).toHaveLength(1);
    expect(desk.isEvicting(name('u1'))).toBe(false);
  });

  test('opens it and leaves the rest to the one who waits', async () => {
    const { turn, label, evicted, desk } = given();
    const passage = desk.passage(name('u1'), alive);
    await turn('let-go');
    expect(await passage).toBe('open');
    expect(label()).toBe('open');
    expect(evicted).toEqual([]);
  });

  test('writes nothing where it is open already', async () => {
    const { turn, label, evicted } = given({ isOpen: true });
    await turn('let-go');
    expect(label()).toBeUndefined();
    expect(evicted).toHaveLength(1);
  });

  test.each([
    ['that was made again under its name', { uid: 'u0' }],
    ['that has changed since the decision', { resourceVersion: '0' }],
  ])('is a conflict for a pod %s, and whoever waits for it goes on waiting', async (_, pod) => {
    const { turn, label, evicted, desk } = given();
    const patience = new AbortController();
    const passage = desk.passage(name('u1'), patience.signal);
    await expect(turn('let-go', pod)).rejects.toSatisfy(isConflict);
    expect(label()).toBeUndefined();
    expect(evicted).toEqual([]);
    patience.abort(new Error('still waiting'));
    await expect(passage).rejects.toThrow('still waiting');
  });
});

describe('closing it again', () => {
  test('is a real write, so that what is still on its way meets a conflict', async () => {
    const { turn, label, api } = given({ isOpen: true });
    await turn('close');
    expect(label()).toBe('closed');
    expect(api.at<KubeObject>(path)?.metadata.resourceVersion).toBe('2');
  });

  test('says that the pod is gone where it is', async () => {
    const { turn, api } = given();
    api.remove(path);
    await expect(turn('close')).rejects.toSatisfy(isNotFound);
  });
});
