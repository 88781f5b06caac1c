import { name } from '../../../model/ids.ts';
import { instant } from '../../../model/time.ts';
import type { Target } from '../../engine.ts';
import type { ContractAnswer, ContractRequest, Exchange } from '../exchange.ts';
import { HttpEngine } from '../http-engine.ts';

export const now = instant(Date.parse('2026-11-15T10:00:00Z'));
export const untilAborted = new AbortController().signal;

const fine = { responds: true, excluded: false, drained: false };
const copy = { state: 'healthy', inSync: true, running: true };

/** A sound answer: three processes, one unit of two copies, one quorum of three. */
export const soundTopology = {
  roles: [{ name: 'gate', kind: 'stateless' }],
  processes: ['a', 'b', 'c'].map((id) => ({ id, role: 'shard', pod: `ledger-${id}`, zone: `z-${id}`, ...fine })),
  units: [
    {
      id: 's1',
      name: 'shard s1',
      attached: true,
      replicas: [
        { process: 'a', leader: true, ...copy },
        { process: 'b', leader: false, ...copy },
      ],
    },
  ],
  quorums: [
    { id: 'log', leader: 'a', members: ['a', 'b', 'c'].map((process) => ({ process, responds: true, inSync: true })) },
  ],
  health: { available: true, fullyReplicated: true },
  jobs: [
    {
      verb: 'evacuate',
      group: 'ledger-b',
      state: 'running',
      since: '2026-11-15T09:59:00Z',
      message: 'half way',
      percent: 50,
      secondsLeft: 60,
    },
  ],
};

export const soundHealth = {
  contract: 'v1',
  system: 'ledger 4.2',
  verbs: ['hand-off', 'evacuate', 'cancel-evacuation', 'forget'],
};

/** A server that says what it is told to say, and remembers what it was asked. */
export class ScriptedServer {
  topology: Partial<ContractAnswer> = { body: JSON.stringify(soundTopology) };
  health: Partial<ContractAnswer> = { body: JSON.stringify(soundHealth) };
  verb: Partial<ContractAnswer> = { status: 202 };
  readonly asked: ContractRequest[] = [];

  readonly exchange: Exchange = (request) => {
    this.asked.push(request);
    const { path } = request;
    const answer = path.includes('/verbs/') ? this.verb : path.endsWith('/health') ? this.health : this.topology;
    return Promise.resolve({ status: 200, headers: {}, body: '', ...answer });
  };

  /** The engine that speaks to it. Pods and process groups have the same names. */
  engine(given: { readonly now?: () => typeof now } = {}): HttpEngine {
    return new HttpEngine({
      exchange: this.exchange,
      now: given.now ?? (() => now),
      groupOf: (pod, [address]) => ((pod ?? address) === undefined ? undefined : name(pod ?? address ?? '')),
    });
  }
}

export const someTarget: Target = { group: name('ledger-a'), processes: [name('a')], addresses: ['10.0.0.1'] };

/** `EngineRefused: words`, `EngineUnreachable: words`, or `done`. */
export async function outcome(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'done';
  } catch (error) {
    return String(error);
  }
}
