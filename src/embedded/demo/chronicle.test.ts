import { describe, expect, test } from 'vitest';
import { KubeClient } from '../../kube/client.ts';
import { minutes } from '../../kube/clock.ts';
import { EventRecorder } from '../../kube/event-recorder.ts';
import { seededRandom } from '../../kube/random.ts';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import { EmbeddedApiServer } from '../api-server/api-server.ts';
import { inProcessTransport } from '../api-server/in-process-transport.ts';
import { Chronicle } from './chronicle.ts';

const regarding = { apiVersion: 'drover.dev/v1alpha1', kind: 'StatefulCluster', namespace: 'shop', name: 'shop' };
const goes = { regarding, type: 'Normal', reason: 'Granted', action: 'LetGo', note: 'server-1 goes' } as const;
const waits = { regarding, type: 'Normal', reason: 'LastReplica', action: 'Wait', note: 'server-1 stays' } as const;

/** An API server with somebody who writes events there, and what the chronicle makes of them. */
function given() {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const server = new EmbeddedApiServer({ clock, random, namespaces: ['default', 'shop'] });
  const client = new KubeClient({ transport: inProcessTransport(server), clock, random });
  const recorderOf = (controller: string) => new EventRecorder({ client, clock, random, controller, instance: 'one' });
  const told: string[] = [];
  const chronicle = new Chronicle(server.world.store, ({ at, database, kind, code, text }) =>
    told.push(`${new Date(at).toISOString().slice(11, 19)} ${database} ${kind} ${code}: ${text}`),
  );
  chronicle.listen();
  return { clock, chronicle, told, drover: recorderOf('drover.dev/operator'), other: recorderOf('example.com/other') };
}

describe('the chronicle', () => {
  test('tells what the events of Drover say, what is done and what waits, when it was', async () => {
    const { clock, chronicle, told, drover } = given();
    await clock.pass(minutes(1));
    drover.record(waits);
    await clock.pass(minutes(1));
    drover.record(goes);
    await clock.pass(minutes(1));
    expect(told).toEqual([
      '00:01:00 shop waits LastReplica: server-1 stays',
      '00:02:00 shop does Granted: server-1 goes',
    ]);
    expect(chronicle.done('shop').map(({ text }) => text)).toEqual(['server-1 goes']);
  });

  test('tells what happens again, at its own time', async () => {
    const { clock, told, drover } = given();
    drover.record(goes);
    await clock.pass(minutes(1));
    drover.record(goes);
    await clock.pass(minutes(1));
    expect(told.map((line) => line.slice(0, 8))).toEqual(['00:00:00', '00:01:00']);
  });

  test('hears nobody else', async () => {
    const { clock, told, other } = given();
    other.record(goes);
    await clock.pass(minutes(1));
    expect(told).toEqual([]);
  });
});
