import { expect, test } from 'vitest';
import { minutes, seconds } from './clock.ts';
import { ClockJump } from './clock-jump.ts';
import { VirtualClock } from './testing/virtual-clock.ts';

test.each`
  jump                  | recent
  ${minutes(5)}         | ${false}
  ${minutes(5) + 1}     | ${true}
  ${minutes(-5)}        | ${false}
  ${minutes(-5) - 1}    | ${true}
  ${minutes(1_000_000)} | ${true}
`('a jump of $jump ms is noticed: $recent', async ({ jump, recent }) => {
  const clock = new VirtualClock();
  const watch = new ClockJump(clock);
  await clock.pass(minutes(600));
  expect(watch.recent).toBe(false);
  clock.jump(jump);
  expect(watch.recent).toBe(recent);
});

test('the clock is believed again when it has been steady for five minutes', async () => {
  const clock = new VirtualClock();
  const watch = new ClockJump(clock);
  clock.jump(minutes(60));
  expect(watch.recent).toBe(true);
  await clock.pass(minutes(3));
  expect(watch.recent).toBe(true);
  clock.jump(minutes(-60));
  expect(watch.recent).toBe(true);
  await clock.pass(seconds(299));
  expect(watch.recent).toBe(true);
  await clock.pass(seconds(1));
  expect(watch.recent).toBe(false);
});
