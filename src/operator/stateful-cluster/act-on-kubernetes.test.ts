import { expect, test } from 'vitest';
import { KubeClient } from '../../kube/client.ts';
import { KubeApiError } from '../../kube/errors.ts';
import { seededRandom } from '../../kube/random.ts';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import type { Transport } from '../../kube/transport.ts';
import type { Action } from '../../model/decision.ts';
import { name } from '../../model/ids.ts';
import { reasons } from '../../model/reasons.ts';
import { Desk } from '../lock/desk.ts';
import { Turnkey } from '../lock/turnkey.ts';
import { givenCluster } from '../testing/given-cluster.ts';
import { actOnKubernetes } from './act-on-kubernetes.ts';

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

const whatNames: { readonly [status: number]: string } = { 404: 'NotFound', 409: 'Conflict', 422: 'Invalid' };

/** What is asked of an API server that gives these answers to requests that begin so, and what is remembered and heard of it. */
async function acted(action: Action, answers: { readonly [request: string]: number } = {}, isMadeAgain = false) {
  const asked: string[] = [];
  const remembered: string[] = [];
  const clock = new VirtualClock();
  const transport: Transport = {
    close: () => {},
    send: async ({ method, path, body }) => {
      const what = /(pods|persistentvolumeclaims)/.exec(path)?.[1] ?? path;
      const { preconditions = {} } = JSON.parse(body ?? '{}');
      asked.push([method, what, ...Object.keys(preconditions).sort()].join(' '));
      const status = answers[`${method} ${what}`] ?? 200;
      const answer = { kind: 'Status', apiVersion: 'v1', metadata: {}, reason: whatNames[status] };
      return { status, headers: {}, warnings: [], body: bytes(JSON.stringify(answer)) };
    },
  };
  const client = new KubeClient({ transport, clock, random: seededRandom(1) });
  const place = {
    client,
    cluster: givenCluster(),
    roleOf: () => 'member',
    kept: () => ({ publicIP: null, claim: null }),
    lock: new Turnkey(client, new Desk(clock), 'db', () => false),
    isMadeAgain: () => isMadeAgain,
    remember: (group: string, uid: string, work: Promise<void>) => {
      remembered.push(`${group} ${uid}`);
      return work;
    },
    hasService: () => false,
  };
  const outcome = actOnKubernetes(place, action, new AbortController().signal);
  const heard = await outcome.then(
    () => 'done',
    (error: unknown) => (error instanceof KubeApiError ? error.status : error),
  );
  return { asked, remembered, heard };
}

const group = name<never>('member-1');
const pod = { uid: name<never>('u1'), resourceVersion: '7' };
const reason = reasons.removed({ group, because: 'it is drained' });
const wholeGroup: Action = { act: 'delete-group', group, pod, reason };
const ifUnchanged: Action = { act: 'delete-group', group, pod, unchanged: true, reason };
const podAlone: Action = { act: 'delete-pod', group, pod, reason };
const thisPod = 'DELETE pods uid';
const asSeen = 'DELETE pods resourceVersion uid';
const volume = 'DELETE persistentvolumeclaims';

test.each<[string, Action, number, readonly string[], string | number]>([
  ['the very pod, then its volume', wholeGroup, 200, [thisPod, volume], 'done'],
  ['the very pod as it was seen, then its volume', ifUnchanged, 200, [asSeen, volume], 'done'],
  ['a pod that has changed since, which may run by now: the volume stays', ifUnchanged, 409, [asSeen], 409],
  ['a pod of which there is another one by now: the volume stays', wholeGroup, 409, [thisPod], 409],
  ['a pod that is gone: the volume goes', ifUnchanged, 404, [asSeen, volume], 'done'],
])('a process group goes with %s', async (_, action, answer, asked, heard) => {
  expect(await acted(action, { 'DELETE pods': answer })).toEqual({ asked, remembered: [], heard });
});

const trial = 'POST pods';

test.each<[string, boolean, number, Awaited<ReturnType<typeof acted>>]>([
  ['for good', false, 200, { asked: [thisPod], remembered: [], heard: 'done' }],
  [
    'for another one, which is tried out first',
    true,
    200,
    { asked: [trial, thisPod], remembered: ['member-1 u1'], heard: 'done' },
  ],
  ['for another one, which would be refused: it stays', true, 422, { asked: [trial], remembered: [], heard: 422 }],
])('a pod goes %s', async (_, isMadeAgain, tried, expected) => {
  expect(await acted(podAlone, { [trial]: tried }, isMadeAgain)).toEqual(expected);
});
