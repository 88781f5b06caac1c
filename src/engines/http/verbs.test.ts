import { describe, expect, test } from 'vitest';
import { instant } from '../../model/time.ts';
import { now, outcome, ScriptedServer, someTarget, soundHealth, untilAborted } from './testing/given-server.ts';

const verbs = [
  ['handOff', 'hand-off'],
  ['evacuate', 'evacuate'],
  ['cancelEvacuation', 'cancel-evacuation'],
  ['forget', 'forget'],
] as const;

describe('what a server is told', () => {
  test.each(verbs)('%s is one POST to verbs/%s', async (method, verb) => {
    const server = new ScriptedServer();
    const engine = server.engine();
    expect(await outcome(engine[method]({ ...someTarget, units: [] }, untilAborted))).toBe('done');
    expect(server.asked.map((request) => `${request.method} ${request.path}`)).toEqual([
      'GET /drover/v1/health',
      `POST /drover/v1/verbs/${verb}`,
    ]);
    expect(JSON.parse(server.asked[1]?.body ?? '')).toEqual({
      group: 'ledger-a',
      processes: ['a'],
      addresses: ['10.0.0.1'],
      units: [],
    });
  });

  test('what its health does not list is not sent, and is seen as a job that failed until it is offered', async () => {
    const server = new ScriptedServer();
    server.health = { body: JSON.stringify({ ...soundHealth, verbs: ['forget', 'dance'] }) };
    const engine = server.engine();
    const words = 'ledger 4.2 does not offer evacuate; the verbs of its health are: forget, dance';
    expect(await outcome(engine.evacuate(someTarget, untilAborted))).toBe(`EngineRefused: ${words}`);
    expect(server.asked.filter(({ method }) => method === 'POST')).toEqual([]);
    const failed = async () => (await engine.observe(untilAborted)).jobs.filter(({ state }) => state === 'Failed');
    expect(await failed()).toMatchObject([
      { verb: 'Evacuate', group: 'ledger-a', message: words, retryAt: now + 60_000 },
    ]);
    await outcome(engine.evacuate(someTarget, untilAborted));
    expect(await failed()).toMatchObject([{ attempts: 2, retryAt: now + 120_000 }]);
  });

  test('a refusal is forgotten once the same is accepted, and after an hour in which nobody asked', async () => {
    const server = new ScriptedServer();
    let time = now;
    const engine = server.engine({ now: () => time });
    const failed = async () =>
      (await engine.observe(untilAborted)).jobs.filter(({ state }) => state === 'Failed').length;
    server.verb = { status: 409 };
    await outcome(engine.handOff(someTarget, untilAborted));
    await outcome(engine.evacuate(someTarget, untilAborted));
    expect(await failed()).toBe(2);
    server.verb = { status: 202 };
    await engine.handOff(someTarget, untilAborted);
    expect(await failed()).toBe(1);
    time = instant(now + 3_600_001);
    expect(await failed()).toBe(0);
  });

  test.each`
    status | body                                     | headers                   | expected
    ${200} | ${''}                                    | ${{}}                     | ${'done'}
    ${204} | ${''}                                    | ${{}}                     | ${'done'}
    ${302} | ${''}                                    | ${{ location: '/login' }} | ${'EngineRefused: evacuate of ledger-a was sent elsewhere (302, to /login): redirects are not followed, put the right address into the spec'}
    ${401} | ${''}                                    | ${{}}                     | ${'EngineRefused: evacuate of ledger-a was not allowed in (401): look at the token of bearerTokenSecretRef'}
    ${403} | ${'{"message":"read only"}'}             | ${{}}                     | ${'EngineRefused: evacuate of ledger-a is forbidden to us (403: read only): the server knows us, and does not let us'}
    ${404} | ${'<html>404</html>'}                    | ${{}}                     | ${'EngineRefused: evacuate of ledger-a is not known there (404): this server does not speak the contract, or stands under another path'}
    ${405} | ${''}                                    | ${{}}                     | ${'EngineRefused: evacuate of ledger-a is not known there (405): this server does not speak the contract'}
    ${409} | ${'{"message":"no room\\non any disk"}'} | ${{}}                     | ${'EngineRefused: evacuate of ledger-a was refused (409: no room on any disk)'}
    ${429} | ${''}                                    | ${{}}                     | ${'EngineRefused: evacuate of ledger-a came too early (429): it is tried again later'}
    ${408} | ${''}                                    | ${{}}                     | ${'EngineUnreachable: evacuate of ledger-a was not answered in time by what stands before the server (408)'}
    ${500} | ${'stack trace'}                         | ${{}}                     | ${'EngineUnreachable: evacuate of ledger-a failed there (500: stack trace): look at the log of the server'}
    ${503} | ${''}                                    | ${{}}                     | ${'EngineUnreachable: evacuate of ledger-a is not served now (503): it is tried again later'}
  `('answered with $status: $expected', async ({ status, body, headers, expected }) => {
    const server = new ScriptedServer();
    server.verb = { status, body, headers };
    expect(await outcome(server.engine().evacuate(someTarget, untilAborted))).toBe(expected);
    expect(server.asked.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });
});

describe('the health of a server', () => {
  test('is asked for once in five minutes, and after any trouble', async () => {
    const server = new ScriptedServer();
    let time = now;
    const engine = server.engine({ now: () => time });
    const asked = () => server.asked.filter(({ path }) => path.endsWith('/health')).length;
    await engine.observe(untilAborted);
    time = instant(now + 299_000);
    await engine.observe(untilAborted);
    expect(asked()).toBe(1);
    time = instant(now + 300_000);
    await engine.observe(untilAborted);
    expect(asked()).toBe(2);
    server.topology = { status: 500 };
    await outcome(engine.observe(untilAborted));
    await outcome(engine.observe(untilAborted));
    expect(asked()).toBe(3);
  });

  test('another version of the contract is not spoken', async () => {
    const server = new ScriptedServer();
    server.health = { body: JSON.stringify({ ...soundHealth, contract: 'v2' }) };
    expect(await outcome(server.engine().observe(untilAborted))).toBe(
      'EngineUnreachable: ledger 4.2 speaks the contract v2, and this version of Drover v1: update the older of the two',
    );
  });
});

test('nothing is sent once nobody waits for it', async () => {
  const server = new ScriptedServer();
  expect(await outcome(server.engine().observe(AbortSignal.abort()))).toBe(
    'EngineUnreachable: the health was not asked for any more',
  );
  expect(server.asked).toEqual([]);
});
