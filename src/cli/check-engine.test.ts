import { createServer } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runDrover } from './testing/run-drover.ts';

const fine = { state: 'healthy', inSync: true, running: true };
const answers: Readonly<Record<string, object>> = {
  '/drover/v1/health': { contract: 'v1', verbs: ['evacuate', 'forget'], system: 'ledger 4\u001b[2J' },
  '/drover/v1/topology': {
    roles: [{ name: 'gate', kind: 'stateless' }],
    processes: [
      { id: 'a', role: 'shard', pod: 'ledger-0', responds: true, excluded: false, drained: false },
      { id: 'b', role: 'gate', responds: true, excluded: false },
    ],
    units: [{ id: 's1', attached: true, replicas: [{ process: 'a', leader: true, ...fine }] }],
    quorums: [],
    health: { available: true, fullyReplicated: true },
  },
};

async function serving(): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const body = answers[url];
    response.writeHead(body === undefined ? 404 : 200).end(body === undefined ? '' : JSON.stringify(body));
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : '';
}

describe('drover check-engine', { timeout: 60_000 }, () => {
  test('prints what is understood, and what is not said', async () => {
    const { exitCode, stdout } = await runDrover(['check-engine', await serving()]);
    expect(
      stdout,
    ).toBe(`ledger 4 [2J speaks the contract v1 and offers evacuate and forget: 2 processes, 1 unit, 0 quorums and 0 jobs

PROCESS   ROLE    KIND        POD            COPIES   LEADS   SEATS
a         shard   data        ledger-0       1        1       0
b         gate    stateless   (by address)   0        0       0

Not said, so that Drover waits wherever it matters:
  - process b: drained
`);
    expect(exitCode).toBe(0);
  });

  test('says in one line why it does not understand, and ends with 1', async () => {
    const { exitCode, stdout, stderr } = await runDrover(['check-engine', `${await serving()}/elsewhere`]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toBe(
      'drover: the health is not known there (404): this server does not speak the contract, or stands under another path\n',
    );
  });

  test.each([
    [['check-engine', 'ledger:8080'], 'http://127.0.0.1:8080'],
    [['check-engine', 'http://x', '--timeout', '0'], 'seconds'],
  ])('called as %j it says so and ends with 2', async (args, says) => {
    const { exitCode, stderr } = await runDrover(args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(says);
  });
});
