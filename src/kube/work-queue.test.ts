import { fc } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import type { Millis } from './clock.ts';
import { millis, minutes, seconds } from './clock.ts';
import { KeyBackoff } from './rate-limiter.ts';
import { VirtualClock } from './testing/virtual-clock.ts';
import type { Shutdown } from './work-queue.ts';
import { WorkQueue } from './work-queue.ts';
import type { RunningWork, WorkQueueMetrics } from './work-queue-metrics.ts';

const never = new AbortController().signal;

function given() {
  const clock = new VirtualClock();
  const queue = new WorkQueue({ clock });
  return { clock, queue };
}

describe('a key waits once, and is in one pair of hands', () => {
  test('a key that is added many times is handed out once', async () => {
    const { queue } = given();
    for (const key of ['a', 'b', 'a', 'a', 'b']) queue.add(key);
    expect(queue.ready).toBe(2);
    expect([await queue.get(never), await queue.get(never)]).toEqual(['a', 'b']);
    expect(queue.ready).toBe(0);
  });

  test('a key that is added while in process comes back when it is done, and not before', async () => {
    const { queue } = given();
    queue.add('a');
    await queue.get(never);
    queue.add('a');
    queue.add('a');
    expect(queue.ready).toBe(0);
    queue.done('a');
    expect(queue.ready).toBe(1);
    expect(await queue.get(never)).toBe('a');
    queue.done('a');
    expect(queue.ready).toBe(0);
  });

  test('a key that was added again while in process goes behind those that waited', async () => {
    const { queue } = given();
    queue.add('busy');
    await queue.get(never);
    queue.add('busy');
    queue.add('patient');
    queue.done('busy');
    expect([await queue.get(never), await queue.get(never)]).toEqual(['patient', 'busy']);
  });

  test('whoever waits is served in the order of asking, and an aborted wait takes nothing', async () => {
    const { queue } = given();
    const impatient = new AbortController();
    const waits = [queue.get(never), queue.get(impatient.signal), queue.get(never)];
    impatient.abort();
    queue.add('a');
    queue.add('b');
    expect(await Promise.all(waits)).toEqual(['a', undefined, 'b']);
    expect(await queue.get(impatient.signal)).toBeUndefined();
  });

  test('done for a key that nobody holds changes nothing', () => {
    const { queue } = given();
    queue.add('a');
    queue.done('a');
    expect(queue.ready).toBe(1);
  });
});

describe('of several delays the earliest deadline wins', () => {
  test.each`
    delays                  | ready
    ${[10]}                 | ${10}
    ${[10, 20]}             | ${10}
    ${[20, 10]}             | ${10}
    ${[30, 10, 20]}         | ${10}
    ${[0, 10]}              | ${0}
    ${[-5]}                 | ${0}
    ${[Number.NaN]}         | ${0}
    ${[86_400 * 60 * 1000]} | ${86_400 * 60 * 1000}
  `('delays of $delays ms: ready after $ready ms', async ({ delays, ready }) => {
    const { clock, queue } = given();
    for (const delay of delays) queue.addAfter('a', millis(delay));
    if (ready > 0) {
      await clock.pass(millis(ready - 1));
      expect(queue.ready).toBe(0);
      await clock.pass(millis(1));
    }
    expect(queue.ready).toBe(1);
  });

  test('a later add does not take the deadline away', async () => {
    const { clock, queue } = given();
    queue.addAfter('a', seconds(10));
    queue.add('a');
    queue.done((await queue.get(never)) ?? '');
    await clock.pass(seconds(10));
    expect(queue.ready).toBe(1);
    expect(clock.pending).toBe(0);
  });

  test('a timer that fires a little early is set again instead of losing the key', async () => {
    const virtual = new VirtualClock();
    const hasty = {
      now: () => virtual.now(),
      monotonic: () => virtual.monotonic(),
      after: (delay: Millis, callback: () => void) => virtual.after(millis(delay > 1 ? delay - 1 : delay), callback),
    };
    const queue = new WorkQueue({ clock: hasty });
    queue.addAfter('a', seconds(1));
    await virtual.pass(millis(999));
    expect(queue.ready).toBe(0);
    await virtual.pass(millis(1));
    expect(queue.ready).toBe(1);
  });
});

describe('a key that fails waits longer each time', () => {
  test('5 ms doubling to 1000 s, and from the start after forget', () => {
    const backoff = new KeyBackoff<string>({ first: millis(5), most: seconds(1000) });
    const waits = Array.from({ length: 20 }, () => backoff.when('a'));
    expect(waits.slice(0, 5)).toEqual([5, 10, 20, 40, 80]);
    expect(waits.slice(-2)).toEqual([1_000_000, 1_000_000]);
    expect(backoff.failures('a')).toBe(20);
    expect(backoff.when('b')).toBe(5);
    backoff.forget('a');
    expect(backoff.when('a')).toBe(5);
    for (let i = 0; i < 2000; i++) backoff.when('a');
    expect(backoff.when('a')).toBe(1_000_000);
  });

  test('all keys together come back at 10 a second once 100 have failed at once', async () => {
    const { clock, queue } = given();
    for (let i = 0; i < 120; i++) queue.addRateLimited(`key-${i}`);
    await clock.pass(millis(5));
    expect(queue.ready).toBe(100);
    await clock.pass(seconds(1));
    expect(queue.ready).toBe(110);
    await clock.pass(seconds(1));
    expect(queue.ready).toBe(120);
  });
});

describe('shutting down', () => {
  test.each`
    how         | handedOut
    ${'finish'} | ${['b', 'a']}
    ${'drop'}   | ${[]}
  `('$how: delayed keys are dropped, of the others $handedOut are handed out', async ({ how, handedOut }) => {
    const { clock, queue } = given();
    queue.add('a');
    await queue.get(never);
    queue.add('a');
    queue.add('b');
    queue.addAfter('later', seconds(1));
    const shutdown: Shutdown = how;
    let drained = false;
    const end = queue.shutDown(shutdown).then(() => (drained = true));
    queue.add('too late');
    queue.addAfter('too late', seconds(1));
    queue.addRateLimited('too late');
    await clock.pass(minutes(1));
    expect(drained).toBe(false);
    queue.done('a');
    const out: string[] = [];
    for (let key = await queue.get(never); key !== undefined; key = await queue.get(never)) {
      out.push(key);
      queue.done(key);
    }
    await end;
    expect(out).toEqual(handedOut);
    expect(clock.pending).toBe(0);
  });

  test('whoever waits for a key is sent home', async () => {
    const { queue } = given();
    const waiting = [queue.get(never), queue.get(never)];
    await queue.shutDown('finish');
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
  });

  test('drop after finish cuts the line short', async () => {
    const { queue } = given();
    queue.add('a');
    const end = queue.shutDown('finish');
    await queue.shutDown('drop');
    await end;
    expect(await queue.get(never)).toBeUndefined();
  });
});

describe('metrics', () => {
  function metered() {
    const clock = new VirtualClock();
    const seen = { depth: 0, added: 0, waited: [] as Millis[], worked: [] as Millis[], retried: 0 };
    let read: (() => RunningWork) | undefined;
    const metrics: WorkQueueMetrics = {
      depth: (waiting) => (seen.depth = waiting),
      added: () => seen.added++,
      waited: (time) => seen.waited.push(time),
      worked: (time) => seen.worked.push(time),
      retried: () => seen.retried++,
      running: (reader) => (read = reader),
    };
    return { clock, seen, queue: new WorkQueue({ clock, metrics }), running: () => read?.() };
  }

  test('tell depth, adds, latency, work duration, retries and what is running', async () => {
    const { clock, seen, queue, running } = metered();
    queue.add('a');
    queue.add('a');
    queue.add('b');
    expect(seen).toMatchObject({ depth: 2, added: 2 });
    await clock.pass(seconds(3));
    await queue.get(never);
    await clock.pass(seconds(1));
    await queue.get(never);
    queue.add('a');
    expect(seen).toMatchObject({ depth: 1, added: 3, waited: [3000, 4000] });
    await clock.pass(seconds(2));
    expect(running()).toEqual({ unfinished: 5000, longest: 3000 });
    queue.done('a');
    queue.addRateLimited('b');
    expect(seen).toMatchObject({ depth: 1, worked: [3000], retried: 1 });
  });

  test('that throw do not disturb the queue', async () => {
    const broken = () => {
      throw new Error('no such gauge');
    };
    const clock = new VirtualClock();
    const metrics = { depth: broken, added: broken, waited: broken, worked: broken, retried: broken, running: broken };
    const queue = new WorkQueue({ clock, metrics });
    queue.add('a');
    queue.addRateLimited('b');
    expect(await queue.get(never)).toBe('a');
    queue.done('a');
    await clock.pass(seconds(1));
    expect(await queue.get(never)).toBe('b');
    queue.done('b');
    await queue.shutDown('drop');
  });
});

/** The queue as one would write it without any thought for speed. */
class Model {
  now = 0;
  line: string[] = [];
  again = new Set<string>();
  held: string[] = [];
  delayed: { key: string; due: number; order: number }[] = [];
  takers = 0;
  handedOut: string[] = [];
  order = 0;

  add(key: string): void {
    if (this.line.includes(key)) return;
    if (this.held.includes(key)) this.again.add(key);
    else this.line.push(key);
    this.serve();
  }

  addAfter(key: string, delay: number): void {
    if (delay <= 0) return this.add(key);
    const due = this.now + delay;
    const known = this.delayed.find((entry) => entry.key === key);
    if (known !== undefined && known.due <= due) return;
    this.delayed = [...this.delayed.filter((entry) => entry.key !== key), { key, due, order: this.order++ }];
  }

  take(): void {
    this.takers++;
    this.serve();
  }

  done(key: string): void {
    this.held = this.held.filter((other) => other !== key);
    if (this.again.delete(key)) this.line.push(key);
    this.serve();
  }

  pass(delay: number): void {
    this.now += delay;
    const due = this.delayed
      .filter((entry) => entry.due <= this.now)
      .sort((a, b) => a.due - b.due || a.order - b.order);
    this.delayed = this.delayed.filter((entry) => entry.due > this.now);
    for (const { key } of due) this.add(key);
  }

  serve(): void {
    while (this.takers > 0) {
      const key = this.line.shift();
      if (key === undefined) return;
      this.takers--;
      this.held.push(key);
      this.handedOut.push(key);
    }
  }
}

const keys = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const step = fc.oneof(
  fc.record({ do: fc.constant('add' as const), key: keys }),
  fc.record({ do: fc.constant('addAfter' as const), key: keys, delay: fc.integer({ min: -1, max: 12 }) }),
  fc.record({ do: fc.constant('take' as const) }),
  fc.record({ do: fc.constant('done' as const), which: fc.nat(9) }),
  fc.record({ do: fc.constant('pass' as const), delay: fc.integer({ min: 1, max: 8 }) }),
);

test('property: whatever is asked of it, the queue does what the plain model does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { clock, queue } = given();
      const model = new Model();
      const handedOut: string[] = [];
      for (const step of steps) {
        if (step.do === 'add') {
          queue.add(step.key);
          model.add(step.key);
        } else if (step.do === 'addAfter') {
          queue.addAfter(step.key, millis(step.delay));
          model.addAfter(step.key, step.delay);
        } else if (step.do === 'take') {
          void queue.get(never).then((key) => handedOut.push(key ?? 'nothing'));
          model.take();
        } else if (step.do === 'done') {
          const key = model.held[step.which % Math.max(1, model.held.length)];
          if (key === undefined) continue;
          queue.done(key);
          model.done(key);
        } else {
          await clock.pass(millis(step.delay));
          model.pass(step.delay);
        }
        await Promise.resolve();
        expect({ handedOut, ready: queue.ready, delayed: queue.delayed }).toEqual({
          handedOut: model.handedOut,
          ready: model.line.length,
          delayed: model.delayed.length,
        });
      }
    }),
    { numRuns: 300 },
  );
});
