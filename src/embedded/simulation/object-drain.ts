import { nodeDrain } from '../../api/kinds.ts';
import type { NodeDrainSpecInput } from '../../api/v1alpha1/node-drain.schema.ts';
import type { KubeObject } from '../../kube/object.ts';
import { nodeDrains } from '../../operator/lock/begun-drains.ts';
import type { Ongoing } from './ongoing.ts';
import { cordon, renew } from './people.ts';
import type { SimulatedWorld } from './world.ts';

/** Nodes that somebody drains by a NodeDrain: taken away when it says that it is done, and uncordoned by its deletion when it is given up. */
export class ObjectDrain implements Ongoing {
  readonly #world: SimulatedWorld;
  readonly #nodes: readonly string[];
  readonly #name: string;

  constructor(world: SimulatedWorld, nodes: readonly string[], name: string) {
    this.#world = world;
    this.#nodes = nodes;
    this.#name = name;
  }

  async begin(): Promise<void> {
    const { people, signal } = this.#world;
    const spec: NodeDrainSpecInput = { nodes: [...this.#nodes], maxConcurrentNodes: this.#nodes.length };
    const object: KubeObject & { readonly spec: object } = { metadata: { name: this.#name }, spec };
    await people.create(nodeDrains, object, { signal });
  }

  async step(): Promise<boolean> {
    if ((await this.#phase()) !== 'Completed') return false;
    // It has said that nothing of these nodes is needed any more; where somebody else uncordoned one, others may be there by now.
    await this.#delete();
    for (const node of this.#nodes) await renew(this.#world, node, () => cordon(this.#world, node, false));
    return true;
  }

  /** A drain that is done keeps its nodes cordoned, also where it was done in the very moment in which it is given up. */
  async end(): Promise<void> {
    if (!(await this.step())) await this.#delete();
  }

  async #phase(): Promise<string> {
    const { people, signal } = this.#world;
    const read: KubeObject & { readonly status?: unknown } = await people.get(nodeDrains, this.#key, { signal });
    return nodeDrain.status.parse(read.status ?? {}).phase;
  }

  async #delete(): Promise<void> {
    const { people, signal } = this.#world;
    await people.delete(nodeDrains, this.#key, { signal });
  }

  get #key(): { readonly name: string } {
    return { name: this.#name };
  }
}
