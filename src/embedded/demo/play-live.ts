import type { Clock, EpochMillis } from '../../kube/clock.ts';
import { elapsed, epochMillis } from '../../kube/clock.ts';
import { Demo } from './demo.ts';
import type { KubectlDoor } from './kubectl-door.ts';
import { openKubectlDoor } from './kubectl-door.ts';
import type { ActOutcome } from './outcome.ts';
import { plainAudience } from './plain-audience.ts';
import { ScreenAudience } from './screen-audience.ts';
import type { ShowOptions } from './show.ts';
import { Show } from './show.ts';
import { DemoEnded } from './world.ts';

export interface PlayLiveOptions extends ShowOptions {
  /** For kubectl; 0: any free one. */
  readonly port: number;
}

/** kubectl computes ages by the real time, and a demo that began today would soon be in its future. */
const headStart = 7 * 24 * 3600;
/** On a whole second: messages name moments. */
const beginning = (clock: Clock): EpochMillis => epochMillis((Math.floor(clock.now() / 1000) - headStart) * 1000);

/**
 * Runs the demo for a person until it is told to stop, or, without a screen, until the story is over. Resolves with what came of the story where
 * it was played to its end; afterwards nothing is left of the demo.
 */
export async function playLive(options: PlayLiveOptions, stop: AbortSignal): Promise<readonly ActOutcome[]> {
  if (stop.aborted) return [];
  const { clock, screen, say } = options;
  const began = clock.monotonic();
  const audience = screen === undefined ? plainAudience(say) : new ScreenAudience(clock, stop);
  const demo = new Demo({ clock, begin: beginning(clock), audience });
  let door: KubectlDoor | undefined;
  const end = () => void demo.stop();
  stop.addEventListener('abort', end, { once: true });
  try {
    await demo.start();
    const { cluster } = demo.world;
    door = await openKubectlDoor(cluster.server, options);
    const show = new Show(demo, options, door.kubeconfig);
    const running = demo.clock.run(options.speed, demo.world.signal).catch((error) => demo.world.fail(error));
    const watcher = audience instanceof ScreenAudience ? audience : undefined;
    const drawing = show.open(elapsed(clock, began), watcher).catch((error) => demo.world.fail(error));
    const outcomes = await show.play(watcher);
    await demo.stop();
    await Promise.all([running, drawing]);
    return outcomes;
  } catch (error) {
    // What is cut off while it comes up fails in many ways.
    if (!(error instanceof DemoEnded) && !stop.aborted) throw error;
    return [];
  } finally {
    stop.removeEventListener('abort', end);
    screen?.close();
    await demo.stop();
    await door?.close();
  }
}
