import type { Clock, EpochMillis } from '../../kube/clock.ts';
import type { Act } from './acts/act.ts';
import type { Audience } from './audience.ts';
import { Chronicle } from './chronicle.ts';
import type { ActOutcome } from './outcome.ts';
import { PacedClock } from './paced-clock.ts';
import { playStory } from './story.ts';
import { DemoWorld } from './world.ts';

export interface DemoOptions {
  /** Real time. */
  readonly clock: Clock;
  /** What the demo's own clock shows at first. */
  readonly begin: EpochMillis;
  readonly audience: Audience;
}

/** The world with a clock that can be hurried, and somebody who is told what happens in it. */
export class Demo {
  readonly clock: PacedClock;
  readonly world: DemoWorld;
  readonly chronicle: Chronicle;
  readonly #audience: Audience;

  constructor({ clock, begin, audience }: DemoOptions) {
    this.#audience = audience;
    this.clock = new PacedClock(clock, begin);
    this.world = new DemoWorld({ clock: this.clock });
    this.chronicle = new Chronicle(this.world.cluster.world.store, (entry) => audience.onEntry(entry));
  }

  /** Resolves when all databases serve. Takes no longer than the work does, whatever time passes in it. */
  async start(): Promise<void> {
    await this.clock.hurry(this.world.start());
    // How it all came up is no news.
    this.chronicle.listen();
  }

  /** Plays the story. Somebody must let time pass meanwhile. Rejects with `DemoEnded` when the demo is stopped. */
  play(acts?: readonly Act[]): Promise<readonly ActOutcome[]> {
    return playStory(this.world, this.#audience, acts);
  }

  /** Ends everything. Harmless twice. */
  stop(): Promise<void> {
    return this.clock.hurry(this.world.stop());
  }
}
