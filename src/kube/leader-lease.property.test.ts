import { fc } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { KubeClient } from './client.ts';
import type { Clock, Millis } from './clock.ts';
import { millis, minutes, seconds, sleep } from './clock.ts';
import { isConflict } from './errors.ts';
import type { LeaderGate } from './leader-gate.ts';
import { fencedTransport, NotLeading } from './leader-gate.ts';
import type { KubeObject } from './object.ts';
import type { Random } from './random.ts';
import { seededRandom } from './random.ts';
import type { Resource } from './resource.ts';
import type { Delivery } from './testing/fake-api.ts';
import { FakeApi } from './testing/fake-api.ts';
import { leaseCandidate } from './testing/lease-world.ts';
import { VirtualClock } from './testing/virtual-clock.ts';
import type { Transport } from './transport.ts';

/** The thing that only a leader may change. Each change says in which term it was decided, and counts on. */
interface Ledger extends KubeObject {
  readonly spec: { readonly term: number; readonly count: number };
}

const ledgers: Resource<Ledger> = {
  group: 'example.dev',
  version: 'v1',
  kind: 'Ledger',
  plural: 'ledgers',
  namespaced: false,
};
const ledgerPath = '/apis/example.dev/v1/ledgers/one';

/** How bad the network of one process is: which share gets lost, which share is slow on either way, and how slow. */
interface Weather {
  readonly lossy: number;
  readonly slowRequests: number;
  readonly slowAnswers: number;
  readonly slowest: number;
}

const fair: Weather = { lossy: 0, slowRequests: 0, slowAnswers: 0, slowest: 0 };
const cutOff: Weather = { ...fair, lossy: 1 };

/** The shortest that may stand beside a renew deadline of 10 s leaves the least room for mistakes. */
const shortestLease = seconds(11);

interface Plan {
  readonly seed: number;
  /** One candidate for each. */
  readonly weather: readonly Weather[];
  readonly retryPeriod: Millis;
  readonly troubles: readonly Trouble[];
}

interface Trouble {
  readonly at: number;
  readonly who: number;
  readonly kind: 'stall' | 'stall the leader' | 'cut the leader off' | 'stop' | 'jump';
  readonly time: number;
}

const plans: fc.Arbitrary<Plan> = fc.record({
  seed: fc.nat(),
  weather: fc.array(
    fc.record({
      lossy: fc.constantFrom(0, 0.1),
      slowRequests: fc.constantFrom(0, 0.2),
      slowAnswers: fc.constantFrom(0, 0.8),
      slowest: fc.constantFrom(4_500, 25_000),
    }),
    { minLength: 2, maxLength: 3 },
  ),
  // Those who look often take over at the earliest moment.
  retryPeriod: fc.constantFrom(millis(300), seconds(2)),
  troubles: fc.array(
    fc.record({
      at: fc.integer({ min: 0, max: 90_000 }),
      who: fc.nat(2),
      kind: fc.constantFrom('stall', 'stall the leader', 'cut the leader off', 'cut the leader off', 'stop', 'jump'),
      time: fc.integer({ min: 1, max: 30_000 }),
    }),
    { maxLength: 16 },
  ),
});

/** What happened, for the checks and for showing that the checks had something to check. */
class Story {
  readonly faults: string[] = [];
  terms = 0;
  writes = 0;
  lost = 0;
}

async function play(plan: Plan): Promise<Story> {
  const story = new Story();
  const clock = new VirtualClock();
  const random = seededRandom(plan.seed);
  const api = new FakeApi(clock);
  api.put(ledgerPath, { metadata: { name: 'one' }, spec: { term: 0, count: 0 } });
  watchLedger(api, story);

  const gates: LeaderGate[] = [];
  const checkGates = () => {
    const open = gates.filter((gate) => gate.isLeader()).length;
    if (open > 1) story.faults.push(`${open} lead at ${clock.monotonic()}`);
  };
  const checkWrite = (own: LeaderGate) => {
    if (gates.some((gate) => gate !== own && gate.isLeader()))
      story.faults.push(`a write beside the leader at ${clock.monotonic()}`);
  };
  const over = new AbortController();
  let calm = false;
  const enter = (name: string, weather: Weather) => {
    let connected = -Infinity;
    const network = () => delivery(clock.monotonic() < connected ? cutOff : calm ? fair : weather, random);
    const member = leaseCandidate(
      clock,
      name,
      { send: (request, signal) => api.sendBy(network(), request, signal) },
      { leaseDuration: shortestLease, retryPeriod: plan.retryPeriod, random, grace: seconds(1) },
    );
    gates.push(member.lease);
    const sending = watched(member.transport, () => checkWrite(member.lease));
    const client = new KubeClient({ transport: fencedTransport(sending, member.lease), clock: member.process, random });
    const live = async () => {
      while (!member.stop.signal.aborted) {
        const end = await member.run((signal) => writeOn(client, member.process, story, signal));
        if (end.reason === 'lost') story.lost++;
      }
    };
    over.signal.addEventListener('abort', () => member.stop.abort());
    const cut = (time: Millis) => (connected = clock.monotonic() + time);
    return { ...member, cut, weather, life: live() };
  };
  const members = plan.weather.map((weather, n) => enter(`candidate-${n}`, weather));
  for (const { at, who, kind, time } of plan.troubles) {
    clock.after(millis(at), () => {
      const slot = who % members.length;
      const member = members[slot];
      const leader = members.find(({ lease }) => lease.isLeader());
      if (kind === 'stall') member?.process.stall(millis(time));
      else if (kind === 'stall the leader') leader?.process.stall(millis(time));
      else if (kind === 'cut the leader off') leader?.cut(millis(time));
      else if (kind === 'jump') member?.process.jump(millis(time - 15_000));
      else if (member !== undefined) {
        member.stop.abort();
        members[slot] = enter(`candidate-${slot}-from-${at}`, member.weather);
      }
    });
  }
  for (let passed = 0; passed < 120_000; passed += 500) {
    await clock.pass(millis(500));
    checkGates();
  }
  calm = true;
  await clock.pass(minutes(1));
  const before = story.writes;
  await clock.pass(seconds(10));
  if (story.writes === before) story.faults.push('nobody leads although all is well');
  over.abort();
  await clock.pass(seconds(40));
  await Promise.all(members.map(({ life }) => life));
  if (gates.some((gate) => gate.isLeader())) story.faults.push('somebody leads after the end');
  return story;
}

function delivery({ lossy, slowRequests, slowAnswers, slowest }: Weather, random: Random): Delivery {
  const chance = random.next();
  if (chance < lossy / 2 || lossy === 1) return { lost: 'request' };
  const time = (slow: number) => millis(random.next() * (random.next() < slow ? slowest : 50));
  return { before: time(slowRequests), after: time(slowAnswers), ...(chance < lossy && { lost: 'answer' }) };
}

/** Calls `onWrite` in the instant in which a write is sent. */
function watched(transport: Transport, onWrite: () => void): Transport {
  return {
    send(request, signal) {
      if (request.method !== 'GET') onWrite();
      return transport.send(request, signal);
    },
    close() {},
  };
}

/** As any controller does it: look, decide, write on condition that nothing has changed. */
async function writeOn(client: KubeClient, clock: Clock, story: Story, signal: AbortSignal): Promise<void> {
  const term = ++story.terms;
  const options = { signal, deadline: seconds(30), retry: 'never' } as const;
  while (!signal.aborted) {
    try {
      const seen = await client.get(ledgers, { name: 'one' }, options);
      await client.update(ledgers, { ...seen, spec: { term, count: seen.spec.count + 1 } }, options);
      await sleep(clock, millis(250), signal);
    } catch {
      await sleep(clock, millis(300), signal).catch(() => {});
    }
  }
}

/** At the server: no write is lost under another, and none of an earlier term comes after one of a later term. */
function watchLedger(api: FakeApi, story: Story): void {
  let last = { term: 0, count: 0 };
  api.onWritten = (path) => {
    if (path !== ledgerPath) return;
    const spec = api.at<Ledger>(path)?.spec ?? last;
    story.writes++;
    if (spec.count !== last.count + 1) story.faults.push(`count ${spec.count} after ${last.count}`);
    if (spec.term < last.term) story.faults.push(`term ${spec.term} wrote after term ${last.term}`);
    last = spec;
  };
}

test('example: what a leader sent in time and arrives after its successor has written fails on its precondition', async () => {
  const clock = new VirtualClock();
  const api = new FakeApi(clock);
  api.put(ledgerPath, { metadata: { name: 'one' }, spec: { term: 0, count: 0 } });
  const enter = (name: string) => {
    const member = leaseCandidate(clock, name, api);
    const transport = fencedTransport(api, member.lease);
    return { ...member, client: new KubeClient({ transport, clock, random: seededRandom(1) }) };
  };
  const [a, b] = [enter('a'), enter('b')];
  const options = { signal: new AbortController().signal, deadline: minutes(5), retry: 'never' } as const;
  void a.run();
  await clock.settle();
  void b.run();
  await clock.pass(seconds(1));

  const seen = await a.client.get(ledgers, { name: 'one' }, options);
  api.deliver = ({ method, path }) => (path === ledgerPath && method === 'PUT' ? { before: seconds(60) } : {});
  const late = a.client.update(ledgers, { ...seen, spec: { term: 1, count: 1 } }, options).catch((error) => error);
  await clock.settle();
  api.deliver = () => ({});
  a.process.stall(seconds(40));
  await clock.pass(seconds(30));
  expect([a.lease.isLeader(), b.lease.isLeader()]).toEqual([false, true]);
  await b.client.update(ledgers, { ...seen, spec: { term: 2, count: 1 } }, options);
  await clock.pass(seconds(60));
  expect(isConflict(await late)).toBe(true);
  expect(api.at<Ledger>(ledgerPath)?.spec).toEqual({ term: 2, count: 1 });
  await expect(a.client.update(ledgers, seen, options)).rejects.toThrow(NotLeading);
});

test('property: no two lead at one instant, and what a former leader sent fails on its precondition', async () => {
  const total = new Story();
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const story = await play(plan);
      total.terms += story.terms;
      total.lost += story.lost;
      expect(story.faults).toEqual([]);
    }),
    { numRuns: 40, endOnFailure: true },
  );
  // The property says something only if leadership changed hands.
  expect(total.terms).toBeGreaterThan(80);
  expect(total.lost).toBeGreaterThan(20);
}, 60_000);
