import { fc, test as property } from '@fast-check/vitest';
import { afterEach, describe, expect, test } from 'vitest';
import { Cache } from './cache.ts';
import { KubeClient } from './client.ts';
import { minutes, seconds } from './clock.ts';
import { jsonCodec } from './codec.ts';
import type { KubeObject } from './object.ts';
import { seededRandom } from './random.ts';
import { Reflector } from './reflector.ts';
import type { Fault } from './testing/collection-server.ts';
import { CollectionServer } from './testing/collection-server.ts';
import { VirtualClock } from './testing/virtual-clock.ts';

const things = { group: 'example.dev', version: 'v1', kind: 'Thing', plural: 'things', namespaced: false };

let stop = new AbortController();
afterEach(() => {
  stop.abort();
  stop = new AbortController();
});

/** A reflector at work on a server that the test controls. */
function reflecting(options: { streamingLists?: boolean } = {}) {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const server = new CollectionServer();
  server.streamingLists = options.streamingLists ?? true;
  const troubles: unknown[] = [];
  const heard: string[] = [];
  const cache = new Cache<KubeObject, 'none'>({
    clock,
    key: (object) => object.metadata.name,
    version: (object) => object.metadata.resourceVersion ?? '',
    indexes: { none: () => [] },
    onHandlerError: (error) => troubles.push(error),
  });
  cache.subscribe({
    added: ({ metadata }) => heard.push(`+${metadata.name}`),
    updated: ({ metadata }) => heard.push(`~${metadata.name}`),
    deleted: ({ metadata }) => heard.push(`-${metadata.name}`),
  });
  const client = new KubeClient({ transport: server, clock, random });
  const codec = jsonCodec<KubeObject, KubeObject>((object) => object);
  const reflector = new Reflector<KubeObject>({
    client,
    clock,
    random,
    resource: things,
    codec,
    cache,
    onHealth: (trouble) => troubles.push(trouble),
  });
  const run = () => reflector.run(stop.signal);
  return { clock, server, cache, troubles, heard, run, reflector };
}

const contents = (objects: Iterable<KubeObject>) =>
  [...objects].map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).sort();

describe('listed anew on demand', () => {
  const lists = ({ requests }: CollectionServer) =>
    requests.filter((request) => request.includes('sendInitialEvents') || request.includes('limit=')).length;

  test.each([{ streamingLists: true }, { streamingLists: false }])(
    'it has what a watch that was behind did not tell, $streamingLists',
    async (options) => {
      const { clock, server, cache, troubles, run, reflector } = reflecting(options);
      server.fault = ({ path }) => ({ kind: path.includes('watch=') ? 'half-open' : 'none' });
      void run();
      await clock.pass(seconds(1));
      server.put('a');
      server.put('b');
      await clock.pass(seconds(1));
      const behind = contents(cache.values());
      server.fault = () => ({ kind: 'none' });
      let isDone = false;
      void reflector.renew(stop.signal).then(() => (isDone = true));
      expect(contents(cache.values())).toEqual(behind);
      await clock.pass(seconds(1));
      expect(isDone).toBe(true);
      expect(contents(cache.values())).toEqual(['a@101', 'b@102']);
      expect(behind).not.toContain('b@102');
      expect(troubles.filter((trouble) => trouble !== undefined)).toEqual([]);
      server.put('c');
      await clock.pass(seconds(1));
      expect(cache.size).toBe(3);
    },
  );

  test('once for all that ask on one account, and again for another', async () => {
    const { clock, server, run, reflector } = reflecting();
    void run();
    await clock.pass(seconds(1));
    await Promise.all([reflector.renew(stop.signal), reflector.renew(stop.signal), clock.pass(seconds(1))]);
    expect(lists(server)).toBe(2);
    const [first, second] = [new AbortController().signal, new AbortController().signal];
    await Promise.all([reflector.renew(first), reflector.renew(second), clock.pass(seconds(1))]);
    expect(lists(server)).toBeGreaterThan(2);
  });

  test('a list that began before does not count, whenever it ends', async () => {
    const { clock, server, cache, run, reflector } = reflecting({ streamingLists: false });
    void run();
    await Promise.resolve();
    const began = reflector.renew(stop.signal);
    server.put('late');
    await clock.pass(seconds(1));
    await began;
    expect(contents(cache.values())).toEqual(['late@101']);
  });

  test('while the server is away it waits, and then lists at once instead of going on', async () => {
    const { clock, server, cache, run, reflector } = reflecting();
    void run();
    await clock.pass(seconds(1));
    server.fault = () => ({ kind: 'refuse' });
    server.breakWatches();
    await clock.pass(minutes(2));
    server.put('a');
    let isDone = false;
    void reflector.renew(stop.signal).then(() => (isDone = true));
    await clock.pass(minutes(2));
    expect(isDone).toBe(false);
    server.fault = () => ({ kind: 'none' });
    await clock.pass(minutes(1));
    expect([isDone, cache.size]).toEqual([true, 1]);
    expect(server.requests.at(-1)).toContain('sendInitialEvents');
  });

  test('asked for before it runs, the first list will do', async () => {
    const { clock, server, run, reflector } = reflecting();
    const first = reflector.renew(stop.signal);
    void run();
    await clock.pass(seconds(1));
    await first;
    expect(lists(server)).toBe(1);
  });
});

describe('the cache follows the server', () => {
  test.each([{ streamingLists: true }, { streamingLists: false }])(
    'from the first list on, $streamingLists',
    async (options) => {
      const { clock, server, cache, heard, run } = reflecting(options);
      for (let i = 0; i < 1200; i++) server.put(`thing-${i}`);
      void run();
      await clock.pass(seconds(1));
      expect(cache.hasSynced).toBe(true);
      server.put('late');
      server.put('late', { spec: 1 });
      server.remove('thing-7');
      await clock.pass(seconds(1));
      expect(contents(cache.values())).toEqual(contents(server.objects.values()));
      expect(heard.slice(-3)).toEqual(['+late', '~late', '-thing-7']);
    },
  );

  test('pages hold 500 objects, and the refused streaming list is asked for only once', async () => {
    const { clock, server, run } = reflecting({ streamingLists: false });
    for (let i = 0; i < 1200; i++) server.put(`thing-${i}`);
    void run();
    await clock.pass(seconds(1));
    server.breakWatches();
    server.put('unseen');
    server.compact();
    await clock.pass(seconds(10));
    const count = (part: string) => server.requests.filter((request) => request.includes(part)).length;
    expect([count('sendInitialEvents'), count('limit=500'), count('continue=500')]).toEqual([1, 6, 2]);
  });

  test('what was deleted while the connection was down is reported as deleted after the next list', async () => {
    const { clock, server, cache, heard, run } = reflecting();
    server.put('a');
    server.put('b');
    void run();
    await clock.pass(seconds(1));
    server.fault = () => ({ kind: 'refuse' });
    server.breakWatches();
    server.remove('a');
    server.put('c');
    server.compact();
    await clock.pass(minutes(2));
    expect(heard).toEqual(['+a', '+b']);
    expect(cache.view().age).toBeGreaterThan(minutes(1));
    server.fault = () => ({ kind: 'none' });
    await clock.pass(minutes(2));
    expect(heard).toEqual(['+a', '+b', '+c', '-a']);
  });

  test('a broken watch goes on after the last version seen, without a new list', async () => {
    const { clock, server, cache, run } = reflecting();
    server.put('a');
    void run();
    await clock.pass(seconds(1));
    server.put('b');
    server.bookmark();
    await clock.pass(seconds(1));
    server.breakWatches();
    server.put('c');
    await clock.pass(seconds(5));
    expect(contents(cache.values())).toEqual(contents(server.objects.values()));
    expect(server.requests.filter((request) => request.includes('sendInitialEvents'))).toHaveLength(1);
    expect(server.requests.at(-1)).toContain('resourceVersion=102');
  });

  test('bookmarks alone keep the place, so a quiet collection never needs a second list', async () => {
    const { clock, server, run } = reflecting();
    void run();
    await clock.pass(seconds(1));
    for (let i = 0; i < 30; i++) {
      server.put('noise');
      server.remove('noise');
      server.bookmark();
      await clock.pass(minutes(1));
    }
    server.compact();
    server.endWatches();
    await clock.pass(seconds(5));
    expect(server.requests.filter((request) => request.includes('sendInitialEvents'))).toHaveLength(1);
  });

  test('a connection that says nothing any more is left after 150 s and taken up again', async () => {
    const { clock, server, cache, troubles, run } = reflecting();
    server.put('a');
    server.fault = () => ({ kind: server.requests.length === 1 ? 'half-open' : 'none' });
    void run();
    await clock.pass(seconds(149));
    expect(server.requests).toHaveLength(1);
    await clock.pass(seconds(5));
    expect(contents(cache.values())).toEqual(contents(server.objects.values()));
    expect(String(troubles[0])).toContain('nothing heard for 150 s');
  });

  test('an event that comes a second time, late, does not bring back the past', async () => {
    const { clock, server, cache, heard, run } = reflecting();
    server.put('a');
    server.fault = () => ({ kind: 'duplicate' });
    void run();
    await clock.pass(seconds(1));
    server.put('a', { spec: 1 });
    server.put('a', { spec: 2 });
    server.remove('a');
    await clock.pass(seconds(1));
    expect(contents(cache.values())).toEqual([]);
    expect(heard).toEqual(['+a', '~a', '~a', '-a']);
  });

  test('a server that was put back to an older state is listed anew', async () => {
    const { clock, server, cache, run } = reflecting();
    server.put('a');
    void run();
    await clock.pass(seconds(1));
    server.fault = () => ({ kind: server.requests.length === 2 ? 'status' : 'none', status: 410 });
    server.endWatches();
    await clock.pass(seconds(10));
    expect(cache.hasSynced).toBe(true);
    expect(server.requests.at(-1)).toContain('sendInitialEvents');
  });
});

describe('nothing spins, whatever the server does', () => {
  const faults: Fault[] = [
    { kind: 'refuse' },
    { kind: 'status', status: 403 },
    { kind: 'status', status: 404 },
    { kind: 'status', status: 410 },
    { kind: 'status', status: 429 },
    { kind: 'status', status: 500 },
    { kind: 'break', after: 0 },
    { kind: 'expired-in-stream' },
    { kind: 'garbage' },
    { kind: 'half-open' },
  ];
  test.each(faults)('$kind $status: at most 40 requests in 10 min, and alive afterwards', async (fault) => {
    const { clock, server, cache, troubles, run } = reflecting();
    for (const name of 'abcdef') server.put(name);
    server.fault = () => fault;
    void run();
    await clock.pass(minutes(10));
    expect(server.requests.length).toBeGreaterThan(1);
    expect(server.requests.length).toBeLessThanOrEqual(40);
    expect(troubles.length).toBeGreaterThan(0);
    server.fault = () => ({ kind: 'none' });
    await clock.pass(minutes(4));
    expect(contents(cache.values())).toEqual(contents(server.objects.values()));
    expect(troubles.at(-1)).toBeUndefined();
  });

  test('watches that the server ends at once do not spin either', async () => {
    const { clock, server, run } = reflecting();
    void run();
    for (let second = 0; second < 600; second++) {
      server.endWatches();
      await clock.pass(seconds(1));
    }
    expect(server.requests.length).toBeLessThanOrEqual(40);
  });
});

const name = fc.constantFrom('a', 'b', 'c', 'd');
const step = fc.oneof(
  fc.record({ do: fc.constant('put' as const), name }),
  fc.record({ do: fc.constant('remove' as const), name }),
  fc.record({ do: fc.constantFrom('bookmark', 'compact', 'end', 'break') }),
  fc.record({ do: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 200 }) }),
);
const fault = fc.oneof(
  fc.record({ kind: fc.constantFrom('none', 'refuse', 'half-open', 'duplicate', 'expired-in-stream', 'garbage') }),
  fc.record({ kind: fc.constant('status' as const), status: fc.constantFrom(410, 429, 500, 503) }),
  fc.record({ kind: fc.constant('break' as const), after: fc.integer({ min: 0, max: 4 }) }),
);

property.prop([fc.array(step, { maxLength: 40 }), fc.array(fault, { maxLength: 12 }), fc.boolean()], { numRuns: 150 })(
  'whatever went wrong in between, the cache ends equal to the server, and its handlers have heard just that',
  async (steps, faults, streamingLists) => {
    const { clock, server, cache, heard, run } = reflecting({ streamingLists });
    server.put('a');
    server.fault = () => faults[server.requests.length % (faults.length + 1)] ?? { kind: 'none' };
    void run();
    for (const step of steps) {
      if (step.do === 'put') server.put(step.name);
      if (step.do === 'remove') server.remove(step.name);
      if (step.do === 'bookmark') server.bookmark();
      if (step.do === 'compact') server.compact();
      if (step.do === 'end') server.endWatches();
      if (step.do === 'break') server.breakWatches();
      if (step.do === 'pass') await clock.pass(seconds(step.seconds));
    }
    server.fault = () => ({ kind: 'none' });
    await clock.pass(minutes(6));
    expect(contents(cache.values())).toEqual(contents(server.objects.values()));
    expect(replayed(heard)).toEqual([...server.objects.keys()].sort());
    stop.abort();
    stop = new AbortController();
  },
);

/** What someone believes who heard of all changes; a change that makes no sense throws. */
function replayed(heard: readonly string[]): string[] {
  const present = new Set<string>();
  for (const change of heard) {
    const name = change.slice(1);
    if (change.startsWith('+') === present.has(name)) throw new Error(`${change} after ${heard.join(' ')}`);
    if (change.startsWith('+')) present.add(name);
    if (change.startsWith('-')) present.delete(name);
  }
  return [...present].sort();
}
