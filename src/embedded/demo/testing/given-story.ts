import type { Millis } from '../../../kube/clock.ts';
import { epochMillis, sleep } from '../../../kube/clock.ts';
import { VirtualClock } from '../../../kube/testing/virtual-clock.ts';
import type { Act } from '../acts/act.ts';
import type { Audience } from '../audience.ts';
import { nobody } from '../audience.ts';
import type { ActOutcome } from '../outcome.ts';
import { PacedClock } from '../paced-clock.ts';
import { playStory } from '../story.ts';
import { DemoWorld } from '../world.ts';

/** Does something to the world behind the story's back, and is asked again after each of these steps. */
export interface Saboteur {
  readonly every: Millis;
  readonly strike: (world: DemoWorld) => Promise<unknown> | void;
}

export interface Staging {
  readonly seed?: number;
  readonly saboteur?: Saboteur;
  readonly audience?: Audience;
}

/** A world that is up, and its clock. */
export async function worldUp(seed?: number): Promise<{ readonly world: DemoWorld; readonly clock: PacedClock }> {
  const clock = new PacedClock(new VirtualClock(), epochMillis(Date.UTC(2026, 10, 15)));
  const world = new DemoWorld({ clock, ...(seed !== undefined && { seed }) });
  await clock.hurry(world.start());
  return { world, clock };
}

/** Plays acts in no time, in a world of that seed, with somebody in it who may do harm. */
export async function played(
  acts: readonly Act[] | undefined,
  { seed, saboteur, audience = nobody }: Staging = {},
): Promise<readonly ActOutcome[]> {
  const { world, clock } = await worldUp(seed);
  try {
    const story = playStory(world, audience, acts);
    const end = new AbortController();
    const harm = saboteur === undefined ? undefined : sabotage(world, saboteur, end.signal);
    const outcomes = await clock.hurry(story);
    end.abort();
    await harm;
    return outcomes;
  } finally {
    await clock.hurry(world.stop());
  }
}

async function sabotage(world: DemoWorld, { every, strike }: Saboteur, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await strike(world);
    await sleep(world.clock, every, signal).catch(() => {});
  }
}
