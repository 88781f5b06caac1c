import { KubeClient } from '../../../kube/client.ts';
import { millis } from '../../../kube/clock.ts';
import { KubeApiError } from '../../../kube/errors.ts';
import { seededRandom } from '../../../kube/random.ts';
import { nodes } from '../../../kube/resources.ts';
import { podsOnNode } from '../../cluster/pod-view.ts';
import type { OperatedWorld } from '../operated-world.ts';

const call = { signal: new AbortController().signal };

/** What a drain printed, line by line and each line once, and how it ended. */
export interface Drained {
  readonly said: readonly string[];
  /** undefined: it gave up. */
  readonly exit: 0 | 1 | undefined;
}

export interface DrainOptions {
  readonly by?: string;
  /** Gives up after so many seconds. @default 3600 */
  readonly timeout?: number;
  readonly dryRun?: boolean;
  /** Waits for so many seconds. @default time passes; where someone else lets it pass, this must only wait */
  readonly wait?: (time: number) => Promise<void>;
}

/**
 * Drains a node as `kubectl drain` does: cordons it, lists its pods once, evicts each by its name, asks again five seconds after every 429, and waits
 * until those that were evicted are gone. A 404 is taken for gone, everything else ends it with an error.
 */
export async function kubectlDrain(
  world: OperatedWorld,
  node: string,
  { by = 'jane', timeout = 3600, dryRun = false, wait = (time) => world.pass(time) }: DrainOptions = {},
): Promise<Drained> {
  const said = new Set<string>();
  const client = clientOf(world, by, (warning) => said.add(`Warning: ${warning}`));
  if (!dryRun)
    await client.patch(nodes, { name: node }, { type: 'merge', body: { spec: { unschedulable: true } } }, call);
  const listed = podsOnNode(world.cluster.world, node).filter(({ namespace }) => namespace === 'db');
  const asked = new Set(listed.map(({ name }) => name));
  for (let waited = 0; waited < timeout; waited += 5) {
    for (const name of asked) {
      const answer = await inTime(world, evict(client, name, dryRun));
      if (answer === 'gone' || answer === 'evicted') asked.delete(name);
      else {
        said.add(answer.message);
        if (answer.status !== 429) return { said: [...said], exit: 1 };
      }
    }
    const there = new Set(podsOnNode(world.cluster.world, node).map(({ uid }) => uid));
    const isOver = asked.size === 0 && (dryRun || listed.every(({ uid }) => !there.has(uid)));
    if (isOver) return { said: [...said], exit: 0 };
    await wait(5);
  }
  return { said: [...said], exit: undefined };
}

export async function uncordon(world: OperatedWorld, node: string): Promise<void> {
  await world.people.patch(nodes, { name: node }, { type: 'merge', body: { spec: { unschedulable: false } } }, call);
}

/** One eviction by name, and what came of it. */
export async function kubectlEvict(
  world: OperatedWorld,
  name: string,
  by = 'jane',
): Promise<{ readonly status: number; readonly warnings: readonly string[] }> {
  const warnings: string[] = [];
  const client = clientOf(world, by, (warning) => warnings.push(warning));
  const answer = await inTime(world, evict(client, name, false));
  return { status: answer === 'evicted' ? 201 : answer === 'gone' ? 404 : answer.status, warnings };
}

const clientOf = ({ cluster, clock }: OperatedWorld, by: string, onWarning: (warning: string) => void): KubeClient =>
  new KubeClient({ transport: cluster.transport(by), clock, random: seededRandom(7), onWarning });

/** Lets time pass until there is an answer: whoever waits for a grant waits for up to two seconds. */
async function inTime<Result>({ clock }: OperatedWorld, work: Promise<Result>): Promise<Result> {
  const state = { isOver: false };
  const over = () => {
    state.isOver = true;
  };
  void work.then(over, over);
  await clock.settle();
  while (!state.isOver) await clock.pass(millis(20));
  return work;
}

type Answer = 'evicted' | 'gone' | { readonly message: string; readonly status: number };

async function evict(client: KubeClient, name: string, dryRun: boolean): Promise<Answer> {
  try {
    await client.evict({ namespace: 'db', name }, { ...call, dryRun });
    return 'evicted';
  } catch (error) {
    if (!(error instanceof KubeApiError)) throw error;
    if (error.status === 404) return 'gone';
    return { message: error.message, status: error.status };
  }
}
