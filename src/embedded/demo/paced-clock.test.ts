import { describe, expect, test } from 'vitest';
import type { Millis, MonotonicMillis } from '../../kube/clock.ts';
import { epochMillis, millis, minutes, monotonicMillis, seconds, sleep } from '../../kube/clock.ts';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import { PacedClock } from './paced-clock.ts';

const begin = epochMillis(Date.parse('2026-11-08T08:00:00Z'));

/** A clock over one that the test moves, running at that speed until the returned end. */
function running(speed: number) {
  const beneath = new VirtualClock();
  const clock = new PacedClock(beneath, begin);
  const end = new AbortController();
  const run = clock.run(speed, end.signal);
  const stop = async () => {
    end.abort();
    await run;
  };
  return { beneath, clock, stop };
}

/** Lets time pass beneath, in steps so small that the clock above keeps up. */
async function live(beneath: VirtualClock, time: Millis): Promise<void> {
  for (let left: number = time; left > 0; left -= 20) {
    await beneath.pass(millis(Math.min(left, 20)));
    for (let turn = 0; turn < 4; turn++) await beneath.settle();
  }
}

/** A clock of a machine that was asleep: it shows a later time, and its timers have not noticed. */
class SleepyClock extends VirtualClock {
  #slept = 0;

  oversleep(time: Millis): void {
    this.#slept += time;
  }

  override monotonic(): MonotonicMillis {
    return monotonicMillis(super.monotonic() + this.#slept);
  }
}

describe('a paced clock', () => {
  test('shows its beginning and stands until it runs', async () => {
    const beneath = new VirtualClock();
    const clock = new PacedClock(beneath, begin);
    await beneath.pass(minutes(5));
    expect([clock.now(), clock.monotonic()]).toEqual([begin, 0]);
  });

  test.each([1, 60, 600])('runs %i times as fast as the one beneath', async (speed) => {
    const { beneath, clock, stop } = running(speed);
    await live(beneath, seconds(2));
    expect(clock.now() - begin).toBe(2000 * speed);
    await stop();
  });

  test('fires a timer in its own time, not before, and not once it is cancelled', async () => {
    const { beneath, clock, stop } = running(60);
    const fired: string[] = [];
    clock.after(minutes(1), () => fired.push('a minute'));
    clock.after(minutes(1), () => fired.push('cancelled')).cancel();
    await live(beneath, millis(980));
    expect(fired).toEqual([]);
    await live(beneath, millis(40));
    expect(fired).toEqual(['a minute']);
    await stop();
  });

  test('leaves out what the machine slept through, so that nothing times out for it', async () => {
    const beneath = new SleepyClock();
    const clock = new PacedClock(beneath, begin);
    const end = new AbortController();
    const run = clock.run(60, end.signal);
    beneath.oversleep(minutes(60));
    await live(beneath, millis(20));
    expect(clock.monotonic()).toBe(250 * 60);
    end.abort();
    await run;
  });

  test('stops when told, and leaves no timer beneath', async () => {
    const { beneath, stop } = running(60);
    await live(beneath, seconds(1));
    await stop();
    expect(beneath.pending).toBe(0);
  });
});

describe('hurried', () => {
  test('it takes no time of the one beneath, however long the work is', async () => {
    const beneath = new VirtualClock();
    const clock = new PacedClock(beneath, begin);
    const work = sleep(clock, minutes(90), new AbortController().signal).then(() => 'done');
    expect(await clock.hurry(work)).toBe('done');
    expect(clock.monotonic()).toBeGreaterThanOrEqual(minutes(90));
    expect(beneath.monotonic()).toBe(0);
  });

  test('it passes on what the work failed with', async () => {
    const clock = new PacedClock(new VirtualClock(), begin);
    await expect(clock.hurry(Promise.reject(new Error('no luck')))).rejects.toThrow('no luck');
  });
});
