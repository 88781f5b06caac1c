import { describe, expect, test } from 'vitest';
import { KubeClient } from './client.ts';
import { seconds } from './clock.ts';
import { leaseTimes, leaseTimesFor } from './leader-lease-options.ts';
import { seededRandom } from './random.ts';
import { FakeApi } from './testing/fake-api.ts';
import { VirtualClock } from './testing/virtual-clock.ts';

describe('the times that go with a duration of the lease', () => {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const client = new KubeClient({ transport: new FakeApi(clock), clock, random });
  const required = { client, clock, random, lease: { namespace: 'drover', name: 'operator' }, identity: 'a' };

  test('are the defaults for the default', () => {
    expect(leaseTimes({ ...required, ...leaseTimesFor(seconds(15)) })).toEqual(leaseTimes(required));
  });

  test.each([1, 2, 3, 7, 3600])('go together for %i s: no two can lead', (duration) => {
    const { leaseDuration, renewDeadline, retryPeriod } = leaseTimes({
      ...required,
      ...leaseTimesFor(seconds(duration)),
    });
    expect(leaseDuration).toBe(duration * 1000);
    expect(renewDeadline).toBeLessThan(leaseDuration);
    expect(retryPeriod).toBeLessThan(renewDeadline);
  });
});
