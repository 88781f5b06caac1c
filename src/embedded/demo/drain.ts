import type { KubeClient } from '../../kube/client.ts';
import { KubeApiError } from '../../kube/errors.ts';
import { nodes } from '../../kube/resources.ts';
import type { PodView } from '../cluster/pod-view.ts';
import { podsOnNode } from '../cluster/pod-view.ts';
import type { DemoWorld } from './world.ts';
import { jane } from './world.ts';

/**
 * A node that jane drains as `kubectl drain` does, and what it prints: the node is cordoned, its pods are listed once, and each is evicted through the
 * API server; after every 429 it is asked again, until all of them are gone or she gives up.
 */
export class Drain {
  readonly node: string;
  readonly #world: DemoWorld;
  readonly #say: (line: string) => void;
  readonly #client: KubeClient;
  #listed: readonly PodView[] = [];
  /** Those that were not let go yet, by uid. */
  readonly #asked = new Map<string, PodView>();

  constructor(world: DemoWorld, node: string, say: (line: string) => void) {
    this.#world = world;
    this.node = node;
    this.#say = say;
    this.#client = world.clientOf(jane, (warning) => say(`Warning: ${warning}`));
  }

  async begin(): Promise<void> {
    this.#say(`$ kubectl drain ${this.node} --ignore-daemonsets`);
    await this.#cordon(true);
    this.#say(`node/${this.node} cordoned`);
    this.#listed = podsOnNode(this.#world.cluster.world, this.node);
    for (const pod of this.#listed) {
      this.#asked.set(pod.uid, pod);
      this.#say(`evicting pod ${pod.key}`);
    }
  }

  /** Asks once more for each pod that is left; kubectl does so 5 s after every refusal. True: none is left. */
  async step(): Promise<boolean> {
    await Promise.all([...this.#asked.values()].map((pod) => this.#evict(pod)));
    if (this.#asked.size > 0 || this.left().length > 0) return false;
    this.#say(`node/${this.node} drained`);
    return true;
  }

  /** She gives up, or is done: pods may come to the node again. */
  async end(): Promise<void> {
    this.#say(`$ kubectl uncordon ${this.node}`);
    await this.#cordon(false);
  }

  /** The pods that were there when it began and still are. */
  left(): readonly PodView[] {
    const there = new Set(podsOnNode(this.#world.cluster.world, this.node).map(({ uid }) => uid));
    return this.#listed.filter(({ uid }) => there.has(uid));
  }

  /** The machine is taken away, and one with empty disks comes back under its name. */
  swapMachine(): void {
    const { cluster } = this.#world;
    for (const disk of cluster.localDisks(this.node)) cluster.loseDisk(disk);
  }

  async #evict({ namespace, name, uid }: PodView): Promise<void> {
    try {
      await this.#client.evict({ namespace, name }, { signal: this.#world.signal });
      this.#say(`pod/${name} evicted`);
    } catch (error) {
      if (!(error instanceof KubeApiError)) throw error;
      if (error.status === 429) {
        this.#say(`error when evicting pods/"${name}" -n "${namespace}" (will retry after 5s): ${answerIn(error)}`);
        return;
      }
      // Somebody else has removed it, which is as good; kubectl says nothing then.
      if (error.status !== 404) throw error;
    }
    this.#asked.delete(uid);
  }

  async #cordon(unschedulable: boolean): Promise<void> {
    const { people, signal } = this.#world;
    await people.patch(nodes, { name: this.node }, { type: 'merge', body: { spec: { unschedulable } } }, { signal });
  }
}

/** What the API server said, without what was asked. */
const answerIn = ({ message, request, status }: KubeApiError): string =>
  message.slice(`${request.method} ${request.path}: `.length, -` (${status})`.length);
