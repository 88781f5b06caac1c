import type { Act } from './acts/act.ts';
import { cancelAReplacement } from './acts/cancel-a-replacement.ts';
import { drainANode } from './acts/drain-a-node.ts';
import { loseADisk } from './acts/lose-a-disk.ts';
import { neverDrained } from './acts/never-drained.ts';
import { taintANode } from './acts/taint-a-node.ts';
import type { Audience } from './audience.ts';
import type { ActOutcome } from './outcome.ts';
import { ActFailed, Stage } from './stage.ts';
import type { DemoWorld } from './world.ts';

/** What each issue adds to the product adds an act here. */
export const acts: readonly Act[] = [drainANode, taintANode, loseADisk, neverDrained, cancelAReplacement];

/** Plays the acts one after the other. The first that fails is the last that is played: what comes after it would prove nothing. */
export async function playStory(
  world: DemoWorld,
  audience: Audience,
  played: readonly Act[] = acts,
): Promise<readonly ActOutcome[]> {
  const outcomes: ActOutcome[] = [];
  for (const [index, act] of played.entries()) {
    audience.onAct(act.title, index + 1, played.length);
    const outcome = await playAct(act, world, audience);
    outcomes.push(outcome);
    audience.onOutcome(outcome);
    if (!outcome.passed) break;
  }
  return outcomes;
}

async function playAct(act: Act, world: DemoWorld, audience: Audience): Promise<ActOutcome> {
  const { clock } = world;
  const began = clock.monotonic();
  const outcome = (passed: boolean, says: string): ActOutcome => ({
    act: act.name,
    title: act.title,
    passed,
    says,
    simulatedSeconds: Math.round((clock.monotonic() - began) / 1000),
  });
  try {
    const stage = new Stage(world, audience);
    await stage.calm();
    const proved = await act.play(stage);
    stage.unharmed();
    return outcome(true, proved);
  } catch (error) {
    if (!(error instanceof ActFailed)) throw error;
    return outcome(false, error.message);
  }
}
