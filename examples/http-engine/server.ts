// Three processes and two shards that serve Drover's http contract: PORT=8080 TOKEN=sesame node server.ts
// The first two lines of state stand for your system. Verbs are done at once here; list what takes time in the topology's `jobs`.
import { createServer, type IncomingMessage } from 'node:http';

const processes = new Map(['a', 'b', 'c'].map((id, n) => [id, { pod: `ledger-${n}`, leaving: false }]));
const shards: Record<string, string[]> = { s1: ['a', 'b'], s2: ['b', 'c'] }; // The first copy leads.
const holds = (id: string) => Object.values(shards).some((copies) => copies.includes(id));

const topology = () => ({
  processes: [...processes].map(([id, { pod, leaving }]) => {
    return { id, role: 'shard', pod, responds: true, excluded: leaving, drained: leaving && !holds(id) };
  }),
  units: Object.entries(shards).map(([id, copies]) => {
    const fine = { state: 'healthy', inSync: true, running: true };
    const replicas = copies.map((process, n) => {
      return { process, leader: n === 0, movingAway: processes.get(process)?.leaving, ...fine };
    });
    return { id, attached: true, replicas };
  }),
  quorums: [],
  health: { available: true, fullyReplicated: true },
});

const verbs: Record<string, (id: string, process: { leaving: boolean }, mine: string[][]) => void> = {
  'hand-off': (id, _, mine) => mine.forEach((copies) => copies[0] === id && copies.push(...copies.splice(0, 1))),
  evacuate: (id, process, mine) => {
    process.leaving = true;
    for (const copies of mine) {
      const to = [...processes.keys()].find((other) => !processes.get(other)?.leaving && !copies.includes(other));
      if (to === undefined) throw new Error(`there is no other place for a copy on ${id}`);
      copies[copies.indexOf(id)] = to;
    }
  },
  'cancel-evacuation': (_, process) => void (process.leaving = false),
  forget: (id) => {
    if (holds(id)) throw new Error(`${id} still has copies`);
    processes.delete(id);
  },
};

function tell(verb: string, { processes: ids, units }: { processes: string[]; units?: string[] }): void {
  for (const id of ids) {
    const process = processes.get(id);
    const mine = Object.keys(shards).filter((shard) => shards[shard]?.includes(id) && (units?.includes(shard) ?? true));
    if (process !== undefined)
      verbs[verb]?.(
        id,
        process,
        mine.map((shard) => shards[shard] ?? []),
      );
  }
}

async function answer({ url = '', headers }: IncomingMessage, body: string): Promise<[status: number, body: object]> {
  const { TOKEN } = process.env;
  if (TOKEN && headers.authorization !== `Bearer ${TOKEN}`) return [401, { message: 'who are you?' }];
  if (url === '/drover/v1/health') return [200, { contract: 'v1', verbs: Object.keys(verbs), system: 'sample' }];
  if (url === '/drover/v1/topology') return [200, topology()];
  const verb = url.replace('/drover/v1/verbs/', '');
  if (!Object.hasOwn(verbs, verb)) return [404, { message: 'no such endpoint' }];
  tell(verb, JSON.parse(body));
  return [202, {}];
}

const server = createServer(async (request, response) => {
  const body = (await request.toArray()).join('');
  const [status, said] = await answer(request, body).catch(({ message }): [number, object] => [409, { message }]);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said));
}).listen(Number(process.env['PORT'] ?? 8080), process.env['HOST'], () =>
  console.log('listening on', server.address()),
);
