import { expect, test } from 'vitest';
import { nodeDrain } from '../../api/kinds.ts';
import type { NodeDrainStatus } from '../../api/v1alpha1/node-drain.schema.ts';
import { KubeClient } from '../../kube/client.ts';
import { seconds } from '../../kube/clock.ts';
import { seededRandom } from '../../kube/random.ts';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import type { ReadDrain } from './drain.ts';
import { Record } from './record.ts';

const signal = new AbortController().signal;
const status = (podsLeft: number, phase = 'Draining'): NodeDrainStatus =>
  nodeDrain.status.parse({ phase: 'Draining', counts: { podsLeft }, nodes: [{ name: 'n1', phase, podsLeft }] });

async function* answer(): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(JSON.stringify({ metadata: { name: 'upgrade', resourceVersion: '2' } }));
}

test('a count that goes down is written every ten seconds at most, a step at once, and the same never again', async () => {
  const clock = new VirtualClock();
  let writes = 0;
  const send = () => {
    writes += 1;
    return Promise.resolve({ status: 200, headers: {}, warnings: [], body: answer() });
  };
  const client = new KubeClient({ transport: { send, close: () => {} }, clock, random: seededRandom(1) });
  const record = new Record({ client, clock }, { tell: () => {} });
  let read: ReadDrain = {
    name: 'upgrade',
    uid: 'u',
    generation: 1,
    resourceVersion: '1',
    finalizers: [],
    spec: nodeDrain.spec.parse({ nodes: ['n1'] }),
    status: status(9, 'Pending'),
  };
  const write = async (to: NodeDrainStatus) => {
    const written = await record.write(read, to, signal);
    read = { ...read, ...written.read };
    return { writes, due: written.due };
  };
  expect(await write(status(9))).toEqual({ writes: 1, due: undefined });
  expect(await write(status(8))).toEqual({ writes: 2, due: undefined });
  expect(await write(status(8))).toEqual({ writes: 2, due: undefined });
  await clock.pass(seconds(4));
  expect(await write(status(7))).toEqual({ writes: 2, due: seconds(6) });
  expect(await write(status(0, 'Drained'))).toEqual({ writes: 3, due: undefined });
  await clock.pass(seconds(6));
  expect(await write({ ...status(0, 'Drained'), estimateBasis: 'more' })).toEqual({ writes: 4, due: undefined });
});
