import { describe, expect, test } from 'vitest';
import { millis, minutes, seconds, sleep } from './clock.ts';
import type { LeaderLeaseOptions } from './leader-lease-options.ts';
import type { Lease } from './resources.ts';
import { leasePath, leaseWorld, untilTold } from './testing/lease-world.ts';

describe('the lease', () => {
  test('is made by the first, with times in microseconds, and kept by renewing', async () => {
    const { clock, api, spec, candidate } = leaseWorld();
    const a = candidate('a');
    void a.run();
    await clock.settle();
    expect(a.lease.isLeader()).toBe(true);
    expect(spec()).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-11-15T00:00:00.000000Z',
      renewTime: '2026-11-15T00:00:00.000000Z',
      leaseTransitions: 0,
    });
    await clock.pass(minutes(5));
    expect(a.lease.isLeader()).toBe(true);
    expect(a.heard).toEqual(['holder a', 'leads']);
    expect(spec()).toMatchObject({ acquireTime: '2026-11-15T00:00:00.000000Z', leaseTransitions: 0 });
    expect(api.served.filter((line) => line.startsWith('PUT'))).toHaveLength(150);
  });

  test('keeps what others wrote into it', async () => {
    const { clock, api, candidate } = leaseWorld();
    api.put(leasePath, {
      metadata: { name: 'herd', namespace: 'ops', labels: { team: 'x' } },
      spec: { strategy: 'y' },
    });
    void candidate('a').run();
    await clock.pass(seconds(5));
    expect(api.at<Lease>(leasePath)).toMatchObject({ metadata: { labels: { team: 'x' } }, spec: { strategy: 'y' } });
  });

  test('is taken over 15 s after the last change that was seen, and not before, whatever its times say', async () => {
    const { clock, api, spec, candidate } = leaseWorld();
    api.put(leasePath, {
      metadata: { name: 'herd', namespace: 'ops' },
      spec: {
        holderIdentity: 'dead',
        leaseDurationSeconds: 15,
        renewTime: '2001-01-01T00:00:00.000000Z',
        leaseTransitions: 4,
      },
    });
    const b = candidate('b');
    void b.run();
    await clock.pass(millis(14_999));
    expect(b.lease.isLeader()).toBe(false);
    await clock.pass(millis(4_401));
    expect(b.lease.isLeader()).toBe(true);
    expect(spec()).toMatchObject({ holderIdentity: 'b', leaseTransitions: 5 });
  });

  test.each`
    change          | takenOver
    ${'renewTime'}  | ${false}
    ${'annotation'} | ${true}
    ${'wall clock'} | ${true}
  `('a change of $change every 4 s: taken over $takenOver', async ({ change, takenOver }) => {
    const { clock, api, candidate } = leaseWorld();
    const put = (n: number) =>
      api.put(leasePath, {
        metadata: { name: 'herd', namespace: 'ops', annotations: { n: change === 'annotation' ? String(n) : '' } },
        spec: { holderIdentity: 'x', leaseDurationSeconds: 15, renewTime: change === 'renewTime' ? String(n) : '' },
      });
    put(0);
    const b = candidate('b');
    void b.run();
    for (let n = 1; n < 10; n++) {
      await clock.pass(seconds(4));
      if (change === 'wall clock') b.process.jump(minutes(n % 2 === 0 ? -60 : 60));
      else if (!b.lease.isLeader()) put(n);
    }
    expect(b.lease.isLeader()).toBe(takenOver);
  });

  test('that vanishes is still respected for its time by who has seen its holder', async () => {
    const { clock, api, candidate } = leaseWorld();
    api.put(leasePath, {
      metadata: { name: 'herd', namespace: 'ops' },
      spec: { holderIdentity: 'x', leaseDurationSeconds: 15 },
    });
    const b = candidate('b');
    void b.run();
    await clock.pass(seconds(1));
    api.remove(leasePath);
    await clock.pass(seconds(13));
    expect(b.lease.isLeader()).toBe(false);
    await clock.pass(seconds(6));
    expect(b.lease.isLeader()).toBe(true);
  });

  test('that vanishes under its holder is made again', async () => {
    const { clock, api, spec, candidate } = leaseWorld();
    const a = candidate('a');
    void a.run();
    await clock.pass(seconds(1));
    api.remove(leasePath);
    await clock.pass(seconds(2));
    expect({ leads: a.lease.isLeader(), holder: spec()?.holderIdentity }).toEqual({ leads: true, holder: 'a' });
  });

  test.each`
    given                                                 | complaint
    ${{ leaseDuration: 15_500 }}                          | ${/whole seconds/}
    ${{ renewDeadline: 15_000 }}                          | ${/two could lead/}
    ${{ retryPeriod: 9000 }}                              | ${/second try/}
    ${{ retryPeriod: 0 }}                                 | ${/more than 0/}
    ${{ leaseDuration: Number.NaN, renewDeadline: 1000 }} | ${/whole seconds/}
  `('with $given is refused', ({ given, complaint }) => {
    const { candidate } = leaseWorld();
    expect(() => candidate('a', given)).toThrow(complaint);
  });
});

describe('a leader loses', () => {
  async function leading(more: Partial<LeaderLeaseOptions> = {}) {
    const all = leaseWorld();
    const a = all.candidate('a', more);
    const end = a.run();
    await all.clock.pass(millis(1));
    expect(a.lease.isLeader()).toBe(true);
    return { ...all, a, end };
  }

  test('10 s after its last renewal was sent, when requests vanish', async () => {
    const { clock, api, a, end } = await leading();
    api.deliver = () => ({ lost: 'request' });
    await clock.pass(millis(9_998));
    expect(a.lease.isLeader()).toBe(true);
    await clock.pass(millis(1));
    expect(a.lease.isLeader()).toBe(false);
    expect(await end).toEqual({ reason: 'lost', finished: true });
    expect(a.heard.at(-1)).toBe('ceases');
  });

  test('counted from the sending and not from the answer', async () => {
    const { clock, api, a } = await leading();
    api.deliver = ({ method }) => (method === 'PUT' ? { after: seconds(4) } : {});
    await clock.pass(seconds(6)); // sent at 2 s, answered at 6 s
    api.deliver = () => ({ lost: 'request' });
    await clock.pass(millis(5_998));
    expect(a.lease.isLeader()).toBe(true);
    await clock.pass(millis(1));
    expect(a.lease.isLeader()).toBe(false);
  });

  test('although it is stalled, and does not win it back by an answer that waited for it', async () => {
    const { clock, api, a, end } = await leading();
    api.deliver = ({ method }) => (method === 'PUT' ? { after: millis(10) } : {});
    await clock.pass(millis(2_000)); // a renewal is on its way
    a.process.stall(seconds(9));
    await clock.pass(millis(7_998));
    expect(a.lease.isLeader()).toBe(true);
    await clock.pass(millis(1));
    expect(a.lease.isLeader()).toBe(false);
    await clock.pass(millis(1_010)); // awake, with an answer that would be good until 12 s
    expect(await end).toEqual({ reason: 'lost', finished: true });
    expect(clock.monotonic()).toBeLessThan(12_000);
  });

  test('at once when it sees that somebody else holds the lease', async () => {
    const { clock, api, a, end } = await leading();
    api.put(leasePath, { ...api.at<Lease>(leasePath), spec: { holderIdentity: 'usurper' } });
    await clock.pass(seconds(2));
    expect(a.lease.isLeader()).toBe(false);
    expect(await end).toEqual({ reason: 'lost', finished: true });
  });

  test('not when an answer was lost and the lease is still its own', async () => {
    const { clock, api, a, spec } = await leading();
    api.deliver = ({ method }) => (method === 'PUT' ? { lost: 'answer' } : {});
    await clock.pass(seconds(6));
    api.deliver = () => ({});
    await clock.pass(minutes(1));
    expect(a.lease.isLeader()).toBe(true);
    expect(spec()).toMatchObject({ holderIdentity: 'a', leaseTransitions: 0 });
  });

  test('and says so, when its work does not end in time', async () => {
    const { clock, api, candidate } = leaseWorld();
    const a = candidate('a', { grace: seconds(5) });
    const end = a.run(() => sleep(clock, minutes(60), new AbortController().signal));
    await clock.pass(millis(1));
    api.deliver = () => ({ lost: 'request' });
    await clock.pass(seconds(15));
    expect(await end).toEqual({ reason: 'lost', finished: false });
  });
});

describe('a stop', () => {
  test('keeps the lease until the work has ended, then gives it back for the next', async () => {
    const { clock, spec, candidate } = leaseWorld();
    const [a, b] = [candidate('a'), candidate('b')];
    const end = a.run((signal) =>
      untilTold(signal).then(() => sleep(clock, seconds(12), new AbortController().signal)),
    );
    await clock.pass(seconds(1));
    void b.run();
    a.stop.abort();
    await clock.pass(millis(11_999));
    expect([a.lease.isLeader(), b.lease.isLeader()]).toEqual([true, false]);
    await clock.pass(millis(1));
    expect(await end).toEqual({ reason: 'stopped', finished: true });
    expect(spec()).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    await clock.pass(seconds(5));
    expect([a.lease.isLeader(), b.lease.isLeader()]).toEqual([false, true]);
    expect(spec()).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  test('does not give the lease back while the work still runs', async () => {
    const { clock, spec, candidate } = leaseWorld();
    const a = candidate('a', { grace: seconds(3) });
    const end = a.run(() => sleep(clock, minutes(60), new AbortController().signal));
    await clock.pass(seconds(1));
    a.stop.abort();
    await clock.pass(seconds(3));
    expect(await end).toEqual({ reason: 'stopped', finished: false });
    expect({ leads: a.lease.isLeader(), holder: spec()?.holderIdentity }).toEqual({ leads: false, holder: 'a' });
  });

  test('while it waits to lead ends the wait, and leaves no timer', async () => {
    const { clock, candidate } = leaseWorld();
    const [a, b] = [candidate('a'), candidate('b')];
    void a.run();
    await clock.settle();
    const end = b.run(() => Promise.reject(new Error('must not lead')));
    await clock.pass(seconds(3));
    b.stop.abort();
    expect(await end).toEqual({ reason: 'stopped', finished: true });
    a.stop.abort();
    await clock.settle();
    expect(clock.pending).toBe(0);
  });

  test('between the request and the answer that wins gives the lease back', async () => {
    const { clock, api, spec, candidate } = leaseWorld();
    const a = candidate('a');
    api.deliver = ({ method }) => (method === 'GET' ? {} : { before: seconds(1), after: seconds(1) });
    const end = a.run(() => Promise.reject(new Error('must not lead')));
    await clock.pass(millis(1500));
    a.stop.abort();
    await clock.pass(seconds(5));
    expect(await end).toEqual({ reason: 'stopped', finished: true });
    expect(spec()?.holderIdentity).toBe('');
  });

  test('what the work throws comes out, and the lease is given back', async () => {
    const { clock, spec, candidate } = leaseWorld();
    const a = candidate('a');
    const end = expect(a.run(() => Promise.reject(new Error('defect')))).rejects.toThrow('defect');
    await clock.pass(seconds(1));
    await end;
    expect(spec()?.holderIdentity).toBe('');
  });
});

describe('trouble is told and survived', () => {
  test.each`
    status | reason
    ${403} | ${'Forbidden'}
    ${500} | ${'InternalError'}
    ${401} | ${'Unauthorized'}
  `('$status: tries on until it works', async ({ status, reason }) => {
    const { clock, api, candidate } = leaseWorld();
    const a = candidate('a');
    api.deliver = () => ({ refusal: { status, reason } });
    void a.run();
    await clock.pass(minutes(1));
    expect(a.heard[0]).toContain(`acquire: KubeApiError`);
    api.deliver = () => ({});
    await clock.pass(seconds(15));
    expect(a.lease.isLeader()).toBe(true);
  });

  test('a namespace that is not there is trouble, not a race', async () => {
    const { clock, api, candidate } = leaseWorld();
    const a = candidate('a');
    api.deliver = () => ({ refusal: { status: 404, reason: 'NotFound' } });
    void a.run();
    await clock.settle();
    expect(a.heard[0]).toContain('acquire: KubeApiError');
  });

  test('hooks that throw change nothing', async () => {
    const { clock, candidate } = leaseWorld();
    const broken = () => {
      throw new Error('hook');
    };
    const a = candidate('a', { onLeading: broken, onHolder: broken, onTrouble: broken });
    void a.run();
    await clock.pass(minutes(1));
    expect(a.lease.isLeader()).toBe(true);
  });
});
