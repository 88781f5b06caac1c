import { fc } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import type { Millis } from './clock.ts';
import { millis, minutes, monotonicMillis, seconds, sleep } from './clock.ts';
import type { Next, Outcome, Reconcile, WorkersOptions } from './controller.ts';
import { after, done, runWorkers, TerminalError } from './controller.ts';
import { VirtualClock } from './testing/virtual-clock.ts';
import { WorkQueue } from './work-queue.ts';

/** Writes down who is owed a look, and by when at the latest. */
class NotedQueue extends WorkQueue {
  readonly owed: { readonly key: string; readonly since: number; readonly due: number }[] = [];
  /** How many looks there were so far. */
  looks = 0;
  readonly #now: () => number;

  constructor(clock: VirtualClock) {
    super({ clock });
    this.#now = () => clock.monotonic();
  }

  override addAfter(key: string, delay: Millis): void {
    this.owed.push({ key, since: this.looks, due: this.#now() + Math.max(0, delay) });
    super.addAfter(key, delay);
  }
}

/** Workers at work, with everything that they were heard to do. */
function working(reconcile: (clock: VirtualClock) => Reconcile, options: Partial<WorkersOptions> = {}) {
  const clock = new VirtualClock();
  const queue = new NotedQueue(clock);
  const stop = new AbortController();
  const outcomes: Outcome[] = [];
  const errors: string[] = [];
  const end = runWorkers({
    queue,
    clock,
    signal: stop.signal,
    reconcile: reconcile(clock),
    onFinished: (outcome) => outcomes.push(outcome),
    onError: (key, error, { failures, retried }) =>
      errors.push(`${key}: ${String(error)} (${failures}, ${retried ? 'retried' : 'given up'})`),
    ...options,
  });
  return { clock, queue, stop, outcomes, errors, end };
}

describe('what a reconcile says decides when its key is looked at again', () => {
  test('done: not until it is added', async () => {
    const { clock, queue, outcomes, stop, end } = working(() => async () => done);
    queue.add('a');
    await clock.pass(minutes(60));
    expect(outcomes).toMatchObject([{ key: 'a', kind: 'done', duration: 0 }]);
    stop.abort();
    expect(await end).toEqual({ abandoned: [] });
    expect(clock.pending).toBe(0);
  });

  test('after: once that time has passed, with its failures forgotten', async () => {
    const answers: (() => Next)[] = [fail, fail, () => after(seconds(30)), fail, () => done];
    const { clock, queue, outcomes, errors } = working(() => async () => (answers.shift() ?? fail)());
    queue.add('a');
    await clock.pass(millis(15));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['failed', 'failed', 'after']);
    await clock.pass(millis(29_999));
    expect(outcomes).toHaveLength(3);
    await clock.pass(millis(1));
    expect(outcomes).toHaveLength(4);
    await clock.pass(millis(5));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['failed', 'failed', 'after', 'failed', 'done']);
    expect(errors).toEqual([
      'a: Error: bad day (1, retried)',
      'a: Error: bad day (2, retried)',
      'a: Error: bad day (1, retried)',
    ]);
  });

  test('a TerminalError: not until it is added, and from the start', async () => {
    const answers = [fail, () => terminal(), fail, () => done];
    const { clock, queue, outcomes, errors } = working(() => async () => (answers.shift() ?? fail)());
    queue.add('a');
    await clock.pass(minutes(60));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['failed', 'terminal']);
    expect(errors.at(-1)).toBe('a: TerminalError: name is immutable (0, given up)');
    queue.add('a');
    await clock.pass(millis(5));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['failed', 'terminal', 'failed', 'done']);
  });

  test('a reconcile that throws at once, or answers nonsense, counts as failed', async () => {
    const answers = [fail, async () => JSON.parse('null')];
    const { clock, queue, outcomes } = working(() => () => (answers.shift() ?? fail)());
    queue.add('a');
    await clock.pass(millis(5));
    expect(outcomes).toMatchObject([{ kind: 'failed' }, { kind: 'failed' }]);
  });
});

describe('workers', () => {
  test('as many keys at once as there are workers', async () => {
    let most = 0;
    let running = 0;
    const { clock, queue, outcomes } = working(
      (clock) => async (_, signal) => {
        most = Math.max(most, ++running);
        await sleep(clock, seconds(1), signal);
        running--;
        return done;
      },
      { workers: 3 },
    );
    for (let i = 0; i < 10; i++) queue.add(`key-${i}`);
    await clock.pass(seconds(4));
    expect({ most, finished: outcomes.length }).toEqual({ most: 3, finished: 10 });
  });

  test('hooks that throw do not stop them', async () => {
    const broken = () => {
      throw new Error('the log is full');
    };
    const seen: string[] = [];
    const { clock, queue } = working(
      () => async (key) => {
        seen.push(key);
        return key === 'a' ? fail() : done;
      },
      { onStarted: broken, onFinished: broken, onError: broken },
    );
    queue.add('a');
    queue.add('b');
    await clock.pass(millis(5));
    expect(seen).toEqual(['a', 'b', 'a']);
  });

  test('that always find something to do still let timers run', async () => {
    let now = 0;
    let fired = Infinity;
    const clock = new VirtualClock();
    const busyClock = {
      now: () => clock.now(),
      monotonic: () => monotonicMillis(clock.monotonic() + now),
      after: (delay: Millis, callback: () => void) => clock.after(delay, callback),
    };
    const queue = new WorkQueue({ clock: busyClock });
    const stop = new AbortController();
    const reconcile: Reconcile = async () => {
      now += 5;
      if (now > 10_000) stop.abort();
      return after(millis(0));
    };
    queue.add('a');
    clock.after(millis(0), () => (fired = now));
    const end = runWorkers({ queue, clock: busyClock, signal: stop.signal, reconcile });
    await clock.pass(millis(0));
    await end;
    expect(fired).toBeLessThan(100);
  });
});

describe('an abort', () => {
  const lasting = (time: Millis) => (clock: VirtualClock) => async (_: string, signal: AbortSignal) => {
    await sleep(clock, time, signal);
    return done;
  };

  test('lets what is under way finish, and begins nothing', async () => {
    const { clock, queue, outcomes, stop, end } = working(lasting(seconds(5)), { grace: seconds(10) });
    queue.add('a');
    queue.add('b');
    await clock.pass(seconds(1));
    stop.abort();
    await clock.pass(seconds(4));
    expect(await end).toEqual({ abandoned: [] });
    expect(outcomes).toMatchObject([{ key: 'a', kind: 'done' }]);
    expect(clock.pending).toBe(0);
  });

  test('before the start means that nothing starts', async () => {
    const clock = new VirtualClock();
    const queue = new WorkQueue({ clock });
    queue.add('a');
    const reconcile = () => Promise.reject(new Error('must not be called'));
    expect(await runWorkers({ queue, clock, signal: AbortSignal.abort(), reconcile })).toEqual({ abandoned: [] });
    expect(queue.shuttingDown).toBe(true);
  });

  test('ends what heeds its signal once the grace is over', async () => {
    const { clock, queue, outcomes, stop, end } = working(lasting(minutes(5)), { grace: seconds(10) });
    queue.add('a');
    await clock.pass(seconds(1));
    stop.abort();
    await clock.pass(seconds(10));
    expect(await end).toEqual({ abandoned: [] });
    expect(outcomes).toMatchObject([{ key: 'a', kind: 'failed', duration: 11_000 }]);
    expect(clock.pending).toBe(0);
  });

  test('returns although a reconcile heeds nothing, names it, and hears of it when it ends', async () => {
    const { clock, queue, outcomes, stop, end } = working(
      (clock) => async () => {
        await sleep(clock, minutes(5), new AbortController().signal);
        return fail();
      },
      { grace: seconds(10) },
    );
    queue.add('deaf');
    await clock.settle();
    stop.abort();
    await clock.pass(seconds(11));
    expect(await end).toEqual({ abandoned: ['deaf'] });
    await clock.pass(minutes(5));
    expect(outcomes).toMatchObject([{ key: 'deaf', kind: 'failed' }]);
    expect(clock.pending).toBe(0);
  });
});

type Ending = { readonly takes: number; readonly as: 'done' | 'after' | 'fail' | 'terminal' };

const endings = fc.array(
  fc.record<Ending>({ takes: fc.nat(30), as: fc.constantFrom('done', 'after', 'fail', 'terminal') }),
  { minLength: 1, maxLength: 10 },
);
const additions = fc.array(
  fc.record({ at: fc.nat(20), key: fc.constantFrom('a', 'b', 'c'), delay: fc.oneof(fc.constant(0), fc.nat(50)) }),
  { maxLength: 30 },
);

test('property: no key is reconciled twice at once, none is lost, and none is late while a worker is free', async () => {
  await fc.assert(
    fc.asyncProperty(endings, additions, fc.integer({ min: 1, max: 4 }), async (endings, additions, workers) => {
      const running = new Set<string>();
      const twice: string[] = [];
      const starts: { key: string; at: number }[] = [];
      const { clock, queue, stop, end } = working(
        (clock) => async (key, signal) => {
          if (running.has(key)) twice.push(key);
          running.add(key);
          queue.looks = starts.push({ key, at: clock.monotonic() });
          const ending = endings[starts.length % endings.length] ?? { takes: 0, as: 'done' };
          await sleep(clock, millis(ending.takes), signal);
          running.delete(key);
          if (ending.as === 'fail' && starts.length < 60) return fail();
          if (ending.as === 'terminal') return terminal();
          return ending.as === 'after' && starts.length < 60 ? after(millis(7)) : done;
        },
        { workers },
      );
      for (const { at, key, delay } of additions) {
        await clock.pass(millis(at));
        queue.addAfter(key, millis(delay));
      }
      await clock.pass(minutes(2000)); // the longest waits of 60 failures in a row
      for (const { key, since, due } of queue.owed) {
        const start = starts.slice(since).find((start) => start.key === key);
        expect(start, `${key} was due at ${due}`).toBeDefined();
        // With a worker for each key only the key's own reconcile can be in the way.
        if (workers >= 3) expect((start?.at ?? Infinity) - due).toBeLessThanOrEqual(30);
      }
      expect({ twice, running: running.size }).toEqual({ twice: [], running: 0 });
      stop.abort();
      await clock.settle();
      expect(await end).toEqual({ abandoned: [] });
    }),
    { numRuns: 150 },
  );
});

function fail(): never {
  throw new Error('bad day');
}

function terminal(): never {
  throw new TerminalError('name is immutable');
}
