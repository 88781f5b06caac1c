import { minutes, seconds } from '../../../kube/clock.ts';
import { list } from '../../../model/phrases.ts';
import type { Drain } from '../drain.ts';
import { groupsOn, nodeToDrain } from '../places.ts';
import type { Stage } from '../stage.ts';
import type { Act } from './act.ts';

/** A node is drained and its machine taken away, disks and all; Drover itself dies in between. */
export const drainANode: Act = {
  name: 'drain',
  title: 'A node is drained, and its machine taken away',
  async play(stage) {
    const { world } = stage;
    const node = nodeToDrain(world);
    const here = world.databases.flatMap(({ name }) => groupsOn(world, name, node).map((group) => `${name}/${group}`));
    await stage.open(
      `jane drains ${node}: ${list(here, 5)} are asked to go. Then the machine is taken away with its disks.`,
      "A budget locks every pod, and a webhook says why. Being asked starts the work: shop's disks are on the network, so its servers hand " +
        "their leadership over and come back elsewhere; ledger's are in the machine, so all that is on them is moved to servers that stay.",
    );
    const drain = stage.drain(node);
    await drain.begin();
    await stage.expect('jane is told why she has to wait', minutes(5), () => askedFor(stage, drain));
    await withoutDrover(stage, drain);
    await stage.expect(`${node} becomes empty`, minutes(120), () => drain.step());
    drain.swapMachine();
    stage.unharmed();
    await drain.end();
    await stage.calm();
    await stage.close(
      `${node} was empty before its disks were destroyed, and nothing is lost: every copy is there, every quorum has its majority. A new ` +
        `machine stands in its place.`,
    );
    return `${node} was drained and its disks destroyed; nothing lost its last copy, and while Drover was dead nothing could go`;
  },
};

/** She asks once more. True: her ask for every pod that is left is on record. */
async function askedFor({ world }: Stage, drain: Drain): Promise<boolean> {
  await drain.step();
  const asked = new Set(
    world.databases.flatMap((database) => database.status().asks.flatMap(({ uid, times }) => (times > 0 ? [uid] : []))),
  );
  return drain.left().every(({ uid }) => asked.has(uid));
}

/** Drover is killed while its work is half done. Nobody answers for it, and the budgets hold what it locked. */
async function withoutDrover(stage: Stage, drain: Drain): Promise<void> {
  const { world } = stage;
  // It has time to tell what it has begun, and none to finish.
  await world.pass(seconds(1));
  stage.tell(
    'Drover is killed in the middle of it. Nobody answers for it now, and the budgets hold what it had locked.',
  );
  await world.drover.die();
  // What was let go in the last moment may still go.
  await world.pass(seconds(10));
  const before = drain.left().length;
  const until = world.clock.now() + minutes(3);
  await stage.expect('jane goes on asking', minutes(10), async () => {
    await drain.step();
    stage.check('a pod went while Drover was dead', drain.left().length === before);
    return world.clock.now() >= until;
  });
  world.drover.live();
  stage.tell('Drover lives again, and finds in the status what jane has asked for.');
}
