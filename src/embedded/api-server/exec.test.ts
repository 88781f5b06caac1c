import { describe, expect, test } from 'vitest';
import { KubeClient } from '../../kube/client.ts';
import type { KubeObject } from '../../kube/object.ts';
import { seededRandom } from '../../kube/random.ts';
import { pods } from '../../kube/resources.ts';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import { EmbeddedApiServer } from './api-server.ts';
import type { ProgramEnd, ProgramRun } from './exec.ts';
import { inProcessTransport } from './in-process-transport.ts';

const call = { signal: new AbortController().signal };

async function given(end: ProgramEnd = { exitCode: 0, stdout: 'out', stderr: '' }) {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const ran: ProgramRun[] = [];
  const runProgram = (run: ProgramRun) => {
    ran.push(run);
    return Promise.resolve(end);
  };
  const client = new KubeClient({
    transport: inProcessTransport(new EmbeddedApiServer({ clock, random, runProgram })),
    clock,
    random,
  });
  for (const [name, nodeName] of [['here', 'n1'], ['pending']]) {
    const spec = { containers: [{ name: 'c', image: 'i' }], ...(nodeName !== undefined && { nodeName }) };
    const pod: KubeObject & { readonly spec: typeof spec } = {
      metadata: { namespace: 'default', name: name ?? '' },
      spec,
    };
    await client.create(pods, pod, call);
  }
  const run = (pod: string, container = 'c') =>
    client
      .exec({ namespace: 'default', name: pod }, { ...call, container, command: ['x', 'a b;'], mostBytes: 1000 })
      .catch((error: Error) => error.message);
  return { run, ran };
}

describe('a program in a pod of the embedded world', () => {
  test('is run where the pod is, with its arguments as they are', async () => {
    const { run, ran } = await given();
    expect(await run('here')).toEqual({ exitCode: 0, stdout: 'out', stderr: '' });
    expect(ran).toEqual([{ namespace: 'default', pod: 'here', container: 'c', command: ['x', 'a b;'] }]);
  });

  test('its exit code is an answer', async () => {
    const { run } = await given({ exitCode: 3, stdout: '', stderr: 'err' });
    expect(await run('here')).toEqual({ exitCode: 3, stdout: '', stderr: 'err' });
  });

  const where = 'GET /api/v1/namespaces/default/pods';
  test.each([
    ['nobody', 'c', `${where}/nobody/exec: pods "nobody" not found (404)`],
    ['here', 'd', `${where}/here/exec: container d is not valid for pod here (400)`],
    ['pending', 'c', `${where}/pending/exec: pod pending does not have a host assigned (400)`],
  ])('in pod %s, container %s: refused as the real server does', async (pod, container, expected) => {
    const { run, ran } = await given();
    expect(await run(pod, container)).toBe(expected);
    expect(ran).toEqual([]);
  });

  test('that the kubelet cannot run', async () => {
    const { run } = await given({ notRun: 'error dialing backend' });
    expect(await run('here')).toBe(`${where}/here/exec: Internal error occurred: error dialing backend (500)`);
  });
});
