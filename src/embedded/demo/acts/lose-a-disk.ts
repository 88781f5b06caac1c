import { minutes } from '../../../kube/clock.ts';
import { reasons } from '../../../model/reasons.ts';
import { nodeOf } from '../places.ts';
import type { Stage } from '../stage.ts';
import type { DemoWorld } from '../world.ts';
import type { Act } from './act.ts';

/** A disk dies, and somebody drains the node with the surviving copies at that very moment. */
export const loseADisk: Act = {
  name: 'disk',
  title: 'A disk dies, and somebody drains the wrong node',
  async play(stage) {
    const { world } = stage;
    const { victim, survivor, node } = choose(world);
    await stage.open(
      `The disk of shop/${victim} dies. Some of its shards now have one copy left, on ${survivor}, and jane drains ${node}, where that is.`,
      'The store makes the lost copies again from those that are left. Until they are whole, nothing that holds the only copy may go, whoever asks.',
    );
    breakDisk(world, victim);
    const before = world.clock.now();
    await drainMeanwhile(stage, { node, survivor });
    await stage.expect(`shop has all its copies again`, minutes(240), () => world.database('shop').isCalm);
    const took = Math.round((world.clock.now() - before) / 60_000);
    await stage.calm();
    await stage.close(`All of shop's shards have two copies again, ${took} min after the disk died. Nothing is lost.`);
    return `the disk of ${victim} died, its shards were rebuilt, and ${survivor} stayed while it had the only copies`;
  },
};

async function drainMeanwhile(stage: Stage, { node, survivor }: { node: string; survivor: string }): Promise<void> {
  const { world } = stage;
  const drain = stage.drain(node);
  const step = async () => {
    const hadAnOnlyCopy = hasAnOnlyCopy(world, survivor);
    const isOver = await drain.step();
    const isThere = drain.left().some(({ name }) => name === podOf(survivor));
    stage.check(`${survivor} was let go with the only copy of a shard`, isThere || !hadAnOnlyCopy);
    return isOver;
  };
  await drain.begin();
  await stage.expect(`Drover says that ${survivor} has the only copy`, minutes(10), async () => {
    await step();
    return isHeldForItsCopy(world, survivor);
  });
  await stage.expect(`${node} may be left once the data is elsewhere`, minutes(120), step);
  await drain.end();
}

const podOf = (server: string): string => `shop-${server}`;

const isHeldForItsCopy = (world: DemoWorld, group: string): boolean =>
  world
    .database('shop')
    .row(group)
    ?.waitingFor.some(({ code }) => code === reasons.lastReplica.code) === true;

/** Of some shard nobody else has a whole copy. */
const hasAnOnlyCopy = (world: DemoWorld, process: string): boolean =>
  world
    .database('shop')
    .model.whole()
    .units.some(({ replicas }) => {
      const whole = replicas.filter(({ state, inSync }) => state === 'healthy' && inSync === true);
      return replicas.some((replica) => replica.process === process) && whole.every((one) => one.process === process);
    });

function breakDisk({ cluster }: DemoWorld, server: string): void {
  const process = cluster.processes().find(({ namespace, name }) => namespace === 'shop' && name === podOf(server));
  for (const disk of process?.disks ?? []) cluster.loseDisk(disk);
}

/** Two servers with a shard in common, on two nodes; not those with the lone server. */
function choose(world: DemoWorld): { readonly victim: string; readonly survivor: string; readonly node: string } {
  const [lone] = world.database('reports').status().processGroups;
  for (const { replicas } of world.database('shop').model.whole().units) {
    const [victim, survivor] = replicas.map(({ process }) => String(process));
    const node = survivor === undefined ? undefined : nodeOf(world, 'shop', survivor);
    if (victim !== undefined && survivor !== undefined && node !== undefined && node !== lone?.nodeName)
      return { victim, survivor, node };
  }
  throw new RangeError('no shard of shop has two copies');
}
