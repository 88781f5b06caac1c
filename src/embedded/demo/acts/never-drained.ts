import { minutes } from '../../../kube/clock.ts';
import { Drain } from '../drain.ts';
import { nodeOf } from '../places.ts';
import type { Stage } from '../stage.ts';
import type { Act } from './act.ts';

const pod = 'single-1';

/** A drain that must never pass: the node has a server without any other. */
export const neverDrained: Act = {
  name: 'never',
  title: 'A drain that must never pass',
  async play(stage) {
    const { world } = stage;
    const node = nodeOf(world, 'reports', pod) ?? '';
    const before = identity(stage);
    await stage.open(
      `jane drains ${node}. reports/${pod} is there: a lone server, and what it holds exists nowhere else.`,
      'There is nowhere to move it to, so waiting would help nobody. Drover says never, at once, and what a person could do about it.',
    );
    const drain = new Drain(world, node);
    await drain.begin();
    drain.step();
    await stage.expect(`Drover says that ${pod} never goes`, minutes(10), () => verdict(stage)?.kind === 'never');
    const answer = verdict(stage);
    const why = answer === undefined || answer.kind === 'allow' ? '' : answer.reasons[0].message;
    await insist(stage, drain, before);
    await drain.end();
    await stage.calm();
    stage.check(`${pod} is not the same any more`, identity(stage) === before);
    await stage.close(`Drover said "${why}". After 10 min jane gives up; ${pod} never stopped serving.`);
    return `${pod} was asked for 10 min and held: ${why}`;
  },
};

/** Asks for ten minutes, every few seconds, as `kubectl drain` does. */
async function insist(stage: Stage, drain: Drain, before: string): Promise<void> {
  const { world } = stage;
  const until = world.clock.now() + minutes(10);
  await stage.expect('jane gives up', minutes(20), () => {
    drain.step();
    stage.check(`${pod} was taken away`, identity(stage) === before);
    return world.clock.now() >= until;
  });
}

const verdict = ({ world }: Stage) =>
  world.database('reports').decided?.decision.verdicts.find(({ group }) => group === pod)?.eviction;

/** The very process: it changes when the pod is another one, or was started again. */
function identity({ world }: Stage): string {
  const process = world.cluster.processes().find(({ namespace, name }) => namespace === 'reports' && name === pod);
  return process === undefined ? 'none' : `${process.uid} ${process.run}`;
}
