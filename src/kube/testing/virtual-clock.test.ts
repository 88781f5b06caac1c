import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { millis, seconds } from '../clock.ts';
import { VirtualClock } from './virtual-clock.ts';

describe('a virtual clock', () => {
  test('fires timers by their due times, equal ones as they were set, and none that was cancelled', async () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    const set = (delay: number, name: string) =>
      clock.after(millis(delay), () => fired.push(`${name} ${clock.monotonic()}`));
    set(20, 'late');
    const cancelled = set(10, 'cancelled');
    set(10, 'first');
    set(10, 'second');
    set(-5, 'at once');
    cancelled.cancel();
    cancelled.cancel();
    expect(clock.pending).toBe(4);
    expect(fired).toEqual([]);
    await clock.pass(millis(19));
    expect(fired).toEqual(['at once 0', 'first 10', 'second 10']);
    expect(clock.untilNext).toBe(1);
    await clock.pass(millis(1));
    expect(fired.at(-1)).toBe('late 20');
    expect(clock.untilNext).toBeUndefined();
  });

  test('lets what a timer started run to its end before the next one fires, however long its chains and streams are', async () => {
    const clock = new VirtualClock();
    const ended: string[] = [];
    const start = (name: string, work: () => Promise<unknown>) =>
      clock.after(seconds(1), () => {
        expect(ended.length).toBe(2 - clock.pending);
        void work().then(() => ended.push(name));
      });
    start('promises', async () => {
      for (let turn = 0; turn < 1000; turn++) await Promise.resolve();
    });
    start('ticks', async () => {
      for (let turn = 0; turn < 100; turn++) await new Promise<void>((resolve) => process.nextTick(resolve));
    });
    start('a stream', () =>
      Readable.from(Array.from({ length: 100 }, String))
        .map((text) => `${text}!`)
        .toArray(),
    );
    await clock.pass(seconds(1));
    expect(ended).toEqual(['promises', 'ticks', 'a stream']);
  });
});
