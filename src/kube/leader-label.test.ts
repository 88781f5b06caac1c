import { describe, expect, test } from 'vitest';
import { millis, minutes, seconds } from './clock.ts';
import type { Pod } from './resources.ts';
import { leaseWorld } from './testing/lease-world.ts';

const podPath = (name: string) => `/api/v1/namespaces/ops/pods/${name}`;
const label = (name: string) => ({ key: 'example.dev/leader', pod: { namespace: 'ops', name } });

function podsWorld(names: readonly string[]) {
  const all = leaseWorld();
  const { api } = all;
  for (const name of names) api.put(podPath(name), { metadata: { name, namespace: 'ops' } });
  const labels = (name: string) => api.at<Pod>(podPath(name))?.metadata.labels;
  const marked = () => names.filter((name) => labels(name)?.['example.dev/leader'] === 'true');
  const mark = (name: string) => {
    const labels = { 'example.dev/leader': 'true', app: 'x' };
    api.put(podPath(name), { metadata: { name, namespace: 'ops', labels } });
  };
  return { ...all, labels, marked, mark };
}

describe('the label of the leader', () => {
  test('is on the pod of the leader only, and moves with the leadership', async () => {
    const { clock, candidate, labels, marked, mark } = podsWorld(['a', 'b', 'old']);
    mark('old');
    const [a, b] = [candidate('a', { label: label('a') }), candidate('b', { label: label('b') })];
    void a.run();
    await clock.pass(millis(1));
    expect(marked()).toEqual(['a']);
    expect(labels('old')).toEqual({ app: 'x' });
    void b.run();
    await clock.pass(seconds(2));
    a.stop.abort();
    await clock.settle();
    expect(marked()).toEqual([]);
    await clock.pass(seconds(5));
    expect(marked()).toEqual(['b']);
  });

  test('is taken off the others before it is set', async () => {
    const { clock, api, candidate, mark } = podsWorld(['a', 'old']);
    mark('old');
    void candidate('a', { label: label('a') }).run();
    await clock.settle();
    expect(api.served.filter((line) => line.startsWith('PATCH'))).toEqual([
      `PATCH ${podPath('old')} 200`,
      `PATCH ${podPath('a')} 200`,
    ]);
  });

  test('is set right again within a minute, and otherwise not written', async () => {
    const { clock, api, candidate, marked, mark } = podsWorld(['a', 'late']);
    void candidate('a', { label: label('a') }).run();
    await clock.pass(minutes(5));
    expect(api.served.filter((line) => line.startsWith('PATCH'))).toHaveLength(1);
    mark('late');
    await clock.pass(minutes(1));
    expect(marked()).toEqual(['a']);
  });

  test.each([403, 404, 409])(
    'that cannot be set (%d) is told and tried again, and costs no leadership',
    async (status) => {
      const { clock, api, candidate, marked } = podsWorld(['a']);
      const a = candidate('a', { label: label('a') });
      api.deliver = ({ method }) => (method === 'PATCH' ? { refusal: { status, reason: 'No' } } : {});
      void a.run();
      await clock.pass(minutes(3));
      expect(a.lease.isLeader()).toBe(true);
      expect(a.heard.filter((line) => line.startsWith('label: KubeApiError')).length).toBeGreaterThan(3);
      api.deliver = () => ({});
      await clock.pass(seconds(90));
      expect(marked()).toEqual(['a']);
    },
  );

  test('is taken off when the lease is lost', async () => {
    const { clock, api, candidate, marked } = podsWorld(['a']);
    const end = candidate('a', { label: label('a') }).run();
    await clock.pass(millis(1));
    expect(marked()).toEqual(['a']);
    api.deliver = ({ path }) => (path.includes('leases') ? { lost: 'request' } : {});
    await clock.pass(seconds(10));
    expect(await end).toMatchObject({ reason: 'lost' });
    expect(marked()).toEqual([]);
  });

  test('is not taken off the new leader by one that is late', async () => {
    const { clock, api, candidate, marked, mark } = podsWorld(['a', 'b']);
    const a = candidate('a', { label: label('a') });
    mark('b');
    api.deliver = ({ path }) => (path.includes('pods') ? { after: seconds(3) } : {});
    void a.run();
    await clock.pass(millis(1));
    a.process.stall(seconds(20)); // a sees the label on b only after its time
    await clock.pass(seconds(30));
    expect(marked()).toEqual(['b']);
  });

  test('that cannot be taken off holds up the end for 5 s at most', async () => {
    const { clock, api, candidate } = podsWorld(['a']);
    const a = candidate('a', { label: label('a') });
    const end = a.run();
    await clock.pass(millis(1));
    api.deliver = ({ method }) => (method === 'PATCH' ? { lost: 'request' } : {});
    a.stop.abort();
    await clock.pass(seconds(5));
    expect(await end).toEqual({ reason: 'stopped', finished: true });
    expect(a.heard.some((line) => line.startsWith('label: RequestTimeout'))).toBe(true);
  });
});
