import { expect, test } from 'vitest';
import { KubeClient } from '../../kube/client.ts';
import { isConflict } from '../../kube/errors.ts';
import { seededRandom } from '../../kube/random.ts';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import type { Transport } from '../../kube/transport.ts';
import { name } from '../../model/ids.ts';
import { reasons } from '../../model/reasons.ts';
import { Desk } from '../lock/desk.ts';
import { Turnkey } from '../lock/turnkey.ts';
import { givenCluster } from '../testing/given-cluster.ts';
import { actOnKubernetes } from './act-on-kubernetes.ts';

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

/** What is deleted of member-1, by an API server that gives this answer about its pod. */
async function deleted(unchanged: boolean, ofPod: number) {
  const asked: string[] = [];
  const clock = new VirtualClock();
  const transport: Transport = {
    close: () => {},
    send: async ({ path, body }) => {
      const isPod = path.includes('/pods/');
      const { preconditions = {} } = JSON.parse(body ?? '{}');
      asked.push([path.split('/').at(-2), ...Object.keys(preconditions).sort()].join(' '));
      const answer = { kind: 'Status', apiVersion: 'v1', reason: ofPod === 409 ? 'Conflict' : 'NotFound' };
      return { status: isPod ? ofPod : 200, headers: {}, warnings: [], body: bytes(JSON.stringify(answer)) };
    },
  };
  const client = new KubeClient({ transport, clock, random: seededRandom(1) });
  const place = {
    client,
    cluster: givenCluster(),
    roleOf: () => 'member',
    kept: () => ({ publicIP: null, claim: null }),
    lock: new Turnkey(client, new Desk(clock), 'db', () => false),
    isMadeAgain: () => false,
    hasService: () => false,
  };
  const group = name<never>('member-1');
  const act = {
    act: 'delete-group',
    group,
    pod: { uid: name<never>('u1'), resourceVersion: '7' },
    ...(unchanged && ({ unchanged: true } as const)),
    reason: reasons.removed({ group, because: 'it is drained' }),
  } as const;
  const outcome = actOnKubernetes(place, act, new AbortController().signal);
  const isOvertaken = await outcome.then(() => false, isConflict);
  return { asked, isOvertaken };
}

const claim = 'persistentvolumeclaims';

test.each<[string, boolean, number, readonly string[], boolean]>([
  ['the very pod, then its volume', false, 200, ['pods uid', claim], false],
  ['the very pod as it was seen, then its volume', true, 200, ['pods resourceVersion uid', claim], false],
  [
    'a pod that has changed since, which may run by now: the volume stays',
    true,
    409,
    ['pods resourceVersion uid'],
    true,
  ],
  ['a pod of which there is another one by now: the volume stays', false, 409, ['pods uid'], true],
  ['a pod that is gone: the volume goes', true, 404, ['pods resourceVersion uid', claim], false],
])('a process group goes with %s', async (_, unchanged, answer, asked, isOvertaken) => {
  expect(await deleted(unchanged, answer)).toEqual({ asked, isOvertaken });
});
