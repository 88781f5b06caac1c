import type { Clock } from '../../kube/clock.ts';
import { epochMillis } from '../../kube/clock.ts';
import type { Act } from './acts/act.ts';
import type { Audience } from './audience.ts';
import { Demo } from './demo.ts';
import type { ActOutcome } from './outcome.ts';
import { DemoEnded } from './world.ts';

export interface PlayOnceOptions {
  readonly clock: Clock;
  readonly audience: Audience;
  /** undefined: as fast as the work allows, and the same to the byte every time. */
  readonly speed: number | undefined;
  /** @default all */
  readonly acts?: readonly Act[];
}

/** Any moment will do, as long as it is always the same. */
const someDay = epochMillis(Date.UTC(2026, 10, 15));

/** Plays the story to its end, with no way in from outside. Rejects with `DemoEnded` when it is stopped before. */
export async function playOnce(options: PlayOnceOptions, stop: AbortSignal): Promise<readonly ActOutcome[]> {
  if (stop.aborted) throw new DemoEnded();
  const { clock, audience, speed, acts } = options;
  const demo = new Demo({ clock, begin: someDay, audience });
  const end = () => void demo.stop();
  stop.addEventListener('abort', end, { once: true });
  try {
    await demo.start();
    if (speed === undefined) return await demo.clock.hurry(demo.play(acts));
    const running = demo.clock.run(speed, demo.world.signal);
    const outcomes = await demo.play(acts);
    await demo.stop();
    await running;
    return outcomes;
  } catch (error) {
    // What is cut off while it comes up fails in many ways.
    throw stop.aborted ? new DemoEnded() : error;
  } finally {
    stop.removeEventListener('abort', end);
    await demo.stop();
  }
}
