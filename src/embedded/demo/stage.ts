import type { Millis } from '../../kube/clock.ts';
import { minutes, seconds } from '../../kube/clock.ts';
import type { Audience } from './audience.ts';
import { Drain } from './drain.ts';
import { firstHarm } from './harm.ts';
import type { DemoWorld } from './world.ts';

/** It did not turn out as it must. The message says what was expected and what was found. */
export class ActFailed extends Error {
  override readonly name = 'ActFailed';
}

/** What an act plays on: the world, the audience, and the questions that it is judged by. */
export class Stage {
  readonly world: DemoWorld;
  readonly #audience: Audience;

  constructor(world: DemoWorld, audience: Audience) {
    this.world = world;
    this.#audience = audience;
  }

  /** Tells what is about to happen and why, and lets it be read. */
  async open(plan: string, why: string): Promise<void> {
    this.#audience.tell({ kind: 'plan', text: plan });
    this.#audience.tell({ kind: 'why', text: why });
    await this.#audience.breathe();
  }

  /** Tells what happens in the middle of it. */
  tell(text: string): void {
    this.#audience.tell({ kind: 'plan', text });
  }

  /** Tells what came of it, and lets it be read. */
  async close(result: string): Promise<void> {
    this.#audience.tell({ kind: 'result', text: result });
    await this.#audience.breathe();
  }

  /** jane drains a node; what her kubectl prints is shown. */
  drain(node: string): Drain {
    return new Drain(this.world, node, (line) => this.#audience.onKubectl(line));
  }

  /** Waits for it. Fails the act where it does not come to be, or where anything is lost meanwhile. */
  async expect(what: string, within: Millis, condition: () => boolean | Promise<boolean>): Promise<void> {
    const isSo = await this.world.waitFor(() => {
      this.unharmed();
      return condition();
    }, within);
    if (!isSo) throw new ActFailed(`${what}: not within ${within / 60_000} min`);
  }

  /** Fails the act where any data is lost or any quorum broken, whatever anybody says of it. */
  unharmed(): void {
    const harm = firstHarm(this.world);
    if (harm !== undefined) throw new ActFailed(harm);
  }

  /** Fails the act unless it is so now. */
  check(what: string, isSo: boolean): void {
    if (!isSo) throw new ActFailed(what);
  }

  /** Waits until every database is as people want it: all copies there, nobody leaving, nothing excluded. */
  async calm(): Promise<void> {
    for (const database of this.world.databases) {
      await this.expect(`${database.name} comes to rest`, minutes(240), () => database.isCalm);
    }
    await this.world.pass(seconds(30));
  }
}
