import { minutes } from '../../../kube/clock.ts';
import { reasons } from '../../../model/reasons.ts';
import type { Drain } from '../drain.ts';
import { nodeOf } from '../places.ts';
import type { Stage } from '../stage.ts';
import type { Act } from './act.ts';

const lone = 'single-1';

/** A drain that must never pass: the node has a server without any other. */
export const neverDrained: Act = {
  name: 'never',
  title: 'A drain that must never pass',
  async play(stage) {
    const { world } = stage;
    const node = nodeOf(world, 'reports', lone) ?? '';
    const before = identity(stage);
    await stage.open(
      `jane drains ${node}. reports/${lone} is there: a lone server, and what it holds exists nowhere else.`,
      'There is nowhere to move it to, so waiting would help nobody. Drover says never, at once, and what a person could do about it.',
    );
    const drain = stage.drain(node);
    await drain.begin();
    await stage.expect(`Drover says that ${lone} never goes`, minutes(10), async () => {
      await drain.step();
      return refusal(stage) !== undefined;
    });
    const why = refusal(stage) ?? '';
    await insist(stage, drain, before);
    await drain.end();
    await stage.calm();
    stage.check(`${lone} is not the same any more`, identity(stage) === before);
    await stage.close(`Drover said "${why}". After 10 min jane gives up; ${lone} never stopped serving.`);
    return `${lone} was asked for 10 min and held: ${why}`;
  },
};

/** Asks for ten minutes, every few seconds, as `kubectl drain` does. */
async function insist(stage: Stage, drain: Drain, before: string): Promise<void> {
  const { world } = stage;
  const until = world.clock.now() + minutes(10);
  await stage.expect('jane gives up', minutes(20), async () => {
    await drain.step();
    stage.check(`${lone} was taken away`, identity(stage) === before);
    return world.clock.now() >= until;
  });
}

/** What the status says it waits for, once that is never. */
const refusal = ({ world }: Stage): string | undefined =>
  world
    .database('reports')
    .row(lone)
    ?.waitingFor.find(({ code }) => code === reasons.neverEvicted.code)?.message;

/** The very process: it changes when the pod is another one, or was started again. */
function identity({ world }: Stage): string {
  const pod = `reports-${lone}`;
  const process = world.cluster.processes().find(({ namespace, name }) => namespace === 'reports' && name === pod);
  return process === undefined ? 'none' : `${process.uid} ${process.run}`;
}
