import type { RequestListener } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { Target } from '../../engines/engine.ts';
import { seconds } from '../../kube/clock.ts';
import type { ProcessGroupId } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import { outcome, ServerWorld, soundServer, untilAborted } from '../testing/http-server-world.ts';

const target: Target = { group: name('ledger-0'), processes: [name('a')], addresses: [] };

async function saidAbout(answer: RequestListener): Promise<string> {
  const world = new ServerWorld();
  const port = await world.serve(answer);
  return outcome(world.engine({ url: `http://127.0.0.1:${port}` }).observe(untilAborted));
}

const saying =
  (status: number, body: string, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(status, headers).end(body);

describe('a server on the network', () => {
  test('is read and told below its own path, and no connection is kept', async () => {
    const world = new ServerWorld();
    const seen: unknown[] = [];
    const port = await world.serve((request, response) => {
      seen.push(request.headers.connection, request.headers.authorization);
      if (request.method === 'POST') response.writeHead(202).end();
      else soundServer(request, response);
    });
    const engine = world.engine({ url: `http://127.0.0.1:${port}/admin/` });
    await engine.observe(untilAborted);
    await engine.evacuate(target, untilAborted);
    expect(world.asked).toEqual([
      'GET /admin/drover/v1/health',
      'GET /admin/drover/v1/topology',
      'POST /admin/drover/v1/verbs/evacuate',
    ]);
    expect(seen).toEqual(['close', undefined, 'close', undefined, 'close', undefined]);
  });

  test.each<[string, RequestListener, string]>([
    ['401', saying(401, ''), 'the health was not allowed in (401): look at the token of bearerTokenSecretRef'],
    [
      '403',
      saying(403, '{"message":"not you"}'),
      'the health is forbidden to us (403: not you): the server knows us, and does not let us',
    ],
    [
      '404',
      saying(404, '<h1>Not Found</h1>', { 'content-type': 'text/html' }),
      'the health is not known there (404): this server does not speak the contract, or stands under another path',
    ],
    [
      '500',
      saying(500, 'out of memory'),
      'the health failed there (500: out of memory): look at the log of the server',
    ],
    [
      'a redirect',
      saying(307, '', { location: 'http://elsewhere/' }),
      'the health was sent elsewhere (307, to http://elsewhere/): redirects are not followed, put the right address into the spec',
    ],
    [
      'half of a JSON',
      saying(200, '{"contract": "v1", "ver'),
      'the health is no JSON, or ends in the middle (it begins "{"contract": "v1", "ver"): it is read again later',
    ],
    [
      'a web page',
      saying(200, '<html><title>Sign in</title></html>'),
      'the health is a web page ("Sign in"): the address leads to something else, such as a login page or a proxy',
    ],
    ['nothing', saying(200, ''), 'the health is empty: the server answered without a body'],
    [
      'another shape',
      saying(200, '{"contract":1}'),
      "the health is not of the contract's shape (contract: Invalid input: expected string, received number): nothing of it is used until the server is corrected",
    ],
    [
      'a broken connection',
      (_, response) => void response.writeHead(200, { 'content-length': '99' }).write('{', () => response.destroy()),
      'the health got no answer: the connection was closed before the answer was complete: did the server crash, or does it want a client certificate that it trusts? (ECONNRESET)',
    ],
    [
      'no HTTP',
      ({ socket }) => void socket.end('SSH-2.0-OpenSSH\r\n'),
      'the health got no answer: what it answers is no HTTP: should the address begin with https instead of http? (HPE_INVALID_CONSTANT)',
    ],
  ])('that answers with %s', async (_, answer, words) => {
    expect(await saidAbout(answer)).toBe(`EngineUnreachable: ${words}`);
  });

  test('that nobody listens on, or whose name nobody knows', async () => {
    const world = new ServerWorld();
    expect(await outcome(world.engine({ url: 'http://127.0.0.1:1' }).observe(untilAborted))).toBe(
      'EngineUnreachable: the health got no answer: nobody listens there: is the server running, and the port right? (ECONNREFUSED)',
    );
    expect(await outcome(world.engine({ url: 'http://ledger.invalid:1' }).observe(untilAborted))).toMatch(
      /^EngineUnreachable: the health got no answer: (its host name is not known to DNS|DNS does not answer)/,
    );
  });

  test('whose address is none', async () => {
    const engine = new ServerWorld().engine({ url: 'http://ledger:99999' });
    expect(await outcome(engine.observe(untilAborted))).toBe(
      'EngineUnreachable: engine.http.url http://ledger:99999 is no address that can be asked: look at its host and port',
    );
  });

  test('that hangs is given up after its time limit, before the answer and in the middle of it', async () => {
    const hanging: readonly RequestListener[] = [() => {}, (_, response) => void response.writeHead(200).write('{')];
    for (const answer of hanging) {
      const world = new ServerWorld();
      const heard = Promise.withResolvers<void>();
      const port = await world.serve((request, response) => {
        answer(request, response);
        heard.resolve();
      });
      const said = outcome(world.engine({ url: `http://127.0.0.1:${port}`, timeoutSeconds: 3 }).observe(untilAborted));
      await heard.promise;
      await world.clock.pass(seconds(3));
      expect(await said).toBe(
        'EngineUnreachable: GET /drover/v1/health was not answered within 3 s: the server is slow, or hangs',
      );
      expect(world.clock.pending).toBe(0);
    }
  });

  test('that never stops talking is cut off', async () => {
    const endless: RequestListener = (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(1 << 20, ' ')));
        response.once('drain', more);
      };
      more();
    };
    expect(await saidAbout(endless)).toBe(
      'EngineUnreachable: the answer to GET /drover/v1/health is longer than 32 MiB: nothing of it is used',
    );
  });

  test('a verb is sent once, whatever becomes of it', async () => {
    const world = new ServerWorld();
    const port = await world.serve((request, response) =>
      request.method === 'POST' ? void response.destroy() : soundServer(request, response),
    );
    const engine = world.engine({ url: `http://127.0.0.1:${port}` });
    expect(await outcome(engine.evacuate(target, untilAborted))).toMatch(
      /^EngineUnreachable: evacuate of ledger-0 got no answer/,
    );
    expect(world.asked.filter((request) => request.startsWith('POST'))).toHaveLength(1);
  });
});

describe('a server in each pod', () => {
  const pod = (address: string, ready = true) => ({
    name: `ledger-${address}`,
    group: name<ProcessGroupId>(`g-${address}`),
    addresses: [address],
    ready,
  });

  test('whoever answers is asked, and asked again as long as it does', async () => {
    const world = new ServerWorld();
    const port = await world.serve(soundServer, undefined, '127.0.0.3');
    const engine = world.engine({ port }, [pod('127.0.0.2'), pod('127.0.0.3'), pod('127.0.0.4')]);
    await engine.observe(untilAborted);
    await engine.evacuate(target, untilAborted);
    expect(world.asked).toEqual(['GET /drover/v1/health', 'GET /drover/v1/topology', 'POST /drover/v1/verbs/evacuate']);
  });

  test('without an address of any pod nothing can be asked yet', async () => {
    const world = new ServerWorld();
    const without = { ...pod(''), addresses: [] };
    expect(await outcome(world.engine({ port: 80 }, [without]).observe(untilAborted))).toBe(
      'EngineUnreachable: no pod has an address yet: the first ones have to come up',
    );
  });

  test.each`
    says                                         | group
    ${{ pod: 'ledger-10.0.0.1' }}                | ${'g-10.0.0.1'}
    ${{ pod: 'g-10.0.0.2' }}                     | ${'g-10.0.0.2'}
    ${{ pod: 'other', addresses: ['10.0.0.1'] }} | ${null}
    ${{ addresses: ['10.0.0.1'] }}               | ${'g-10.0.0.1'}
    ${{ addresses: ['10.0.0.2:8080'] }}          | ${'g-10.0.0.2'}
    ${{ addresses: ['[fd00::7]:8080'] }}         | ${'g-fd00::7'}
    ${{ addresses: ['fd00::7'] }}                | ${'g-fd00::7'}
    ${{ addresses: ['10.0.0.1', '10.0.0.2'] }}   | ${null}
    ${{ addresses: ['10.0.0.9'] }}               | ${null}
    ${{}}                                        | ${null}
  `('a process that says $says runs in $group', async ({ says, group }) => {
    const world = new ServerWorld();
    const topology = { processes: [{ id: 'a', role: 'shard', ...says }], units: [], quorums: [] };
    const port = await world.serve((request, response) => {
      if (request.url?.endsWith('/health') === true) soundServer(request, response);
      else response.end(JSON.stringify(topology));
    });
    const pods = [pod('10.0.0.1'), pod('10.0.0.2'), pod('fd00::7')];
    const observed = await world.engine({ url: `http://127.0.0.1:${port}` }, pods).observe(untilAborted);
    expect(observed.topology.processes[0]?.group).toBe(group);
  });
});
