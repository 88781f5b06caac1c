import { KubeClient } from '../../kube/client.ts';
import { KubeApiError } from '../../kube/errors.ts';
import { seededRandom } from '../../kube/random.ts';
import { judgeStatus } from './invariants/answers.ts';
import type { Ongoing } from './ongoing.ts';
import { cordon, podsOn, renew } from './people.ts';
import { namespace } from './subject.ts';
import type { SimulatedWorld } from './world.ts';

/** Nodes that people drain at the same moment, each his own, with `kubectl drain`. */
export class KubectlDrain implements Ongoing {
  readonly #world: SimulatedWorld;
  readonly #callers: readonly Kubectl[];

  /** `isImpatient`: they give up after a while and come back. */
  constructor(world: SimulatedWorld, nodes: readonly string[], isImpatient: boolean) {
    this.#world = world;
    this.#callers = nodes.map((node) => new Kubectl(world, node, isImpatient));
  }

  async begin(): Promise<void> {
    for (const caller of this.#callers) await caller.begin();
  }

  async step(): Promise<boolean> {
    for (const caller of this.#callers) await caller.step();
    return this.#callers.every(({ isDone }) => isDone);
  }

  async end(): Promise<void> {
    for (const { node, isDone } of this.#callers) if (!isDone) await cordon(this.#world, node, false);
  }
}

/** How long who is impatient asks, and stays away then. In seconds. */
const patience = 120;
const pause = 90;

/**
 * One person with kubectl: cordons the node, lists its pods once, evicts each by its name, asks again after every 429 and takes a 404 for gone. When
 * those that were listed are gone the machine is taken away, and comes back empty.
 */
class Kubectl {
  readonly node: string;
  readonly #world: SimulatedWorld;
  readonly #client: KubeClient;
  readonly #isImpatient: boolean;
  /** Those that he has listed, by their uids, and those that he still has to evict, by their names. */
  #listed = new Set<string>();
  #asked = new Set<string>();
  /** Pods whose eviction was not answered yet. */
  readonly #pending = new Set<string>();
  #since = 0;
  isDone = false;

  constructor(world: SimulatedWorld, node: string, isImpatient: boolean) {
    this.node = node;
    this.#world = world;
    this.#isImpatient = isImpatient;
    const { cluster, clock } = world;
    this.#client = new KubeClient({
      transport: cluster.transport(`who-drains-${node}`),
      clock,
      random: seededRandom(7),
    });
  }

  async begin(): Promise<void> {
    await cordon(this.#world, this.node, true);
    this.#since = this.#now;
    const pods = podsOn(this.#world, this.node);
    this.#listed = new Set(pods.map(({ uid }) => uid));
    this.#asked = new Set(pods.map(({ name }) => name));
  }

  async step(): Promise<void> {
    if (this.isDone || (await this.#isAway())) return;
    for (const name of this.#asked) this.#ask(name);
    if (this.#asked.size > 0 || podsOn(this.#world, this.node).some(({ uid }) => this.#listed.has(uid))) return;
    this.isDone = true;
    await renew(this.#world, this.node, () => cordon(this.#world, this.node, false));
  }

  /** Whether he has given up for now. */
  async #isAway(): Promise<boolean> {
    const asksFor = this.#now - this.#since;
    if (!this.#isImpatient || asksFor < patience) return false;
    if (asksFor < patience + pause) return true;
    await this.begin();
    return false;
  }

  /** An answer is not waited for, as kubectl has as many requests on their way as there are pods. */
  #ask(name: string): void {
    if (this.#pending.has(name)) return;
    this.#pending.add(name);
    void this.#evict(name).finally(() => this.#pending.delete(name));
  }

  async #evict(name: string): Promise<void> {
    const { signal, judge } = this.#world;
    try {
      await this.#client.evict({ namespace, name }, { signal });
      this.#asked.delete(name);
    } catch (error) {
      if (!(error instanceof KubeApiError)) throw error;
      if (error.status === 404) this.#asked.delete(name);
      judge.find(judgeStatus(name, error.status, error.message));
    }
  }

  get #now(): number {
    return this.#world.clock.monotonic() / 1000;
  }
}
