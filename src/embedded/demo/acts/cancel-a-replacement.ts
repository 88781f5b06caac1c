import { minutes, seconds } from '../../../kube/clock.ts';
import type { ProcessGroupId } from '../../../model/ids.ts';
import type { ProcessGroup } from '../../../model/process-group.ts';
import type { DemoDatabase } from '../database.ts';
import type { Stage } from '../stage.ts';
import type { DemoWorld } from '../world.ts';
import type { Act } from './act.ts';

/** A replacement is begun and cancelled, and everything is as before. */
export const cancelAReplacement: Act = {
  name: 'cancel',
  title: 'A replacement is begun, and cancelled',
  async play(stage) {
    const { world } = stage;
    const { database, id } = choose(world);
    const before = groupsOf(world, database);
    const wasEven = isEven(serversOf(world, database));
    await stage.open(
      `jane lists ${database.name}/${id} for replacement, and changes her mind while its data is on the way.`,
      'Everything can be undone until the first disk is deleted: Drover takes the mark back, tells the store to keep the data where it is, and ' +
        'takes away the successor that it had added.',
    );
    await replaceAndCancel(stage, database, id);
    const after = groupsOf(world, database);
    const isSame = before.join() === after.join();
    stage.check(
      `there were ${before.join(', ')}, and now ${after.join(', ')}`,
      isSame || (!wasEven && after.includes(id) && after.length === before.length),
    );
    const groups = isSame ? 'the same process groups' : 'the zones more even than before';
    await stage.close(`${database.name} has ${groups}, ${id} among them, and nothing is excluded.`);
    return `${id} was marked and being emptied, then cancelled: ${groups}, nothing excluded`;
  },
};

async function replaceAndCancel(stage: Stage, database: DemoDatabase, id: ProcessGroupId): Promise<void> {
  const before = groupsOf(stage.world, database).length;
  const wish = (processGroupsToRemove: readonly ProcessGroupId[], cancelReplacements: readonly ProcessGroupId[]) => {
    database.spec = { ...database.spec, processGroupsToRemove, cancelReplacements };
  };
  wish([id], []);
  await stage.expect(`${id} is being emptied and has a successor`, minutes(60), () => {
    const { processes } = database.parts.model.whole();
    const isExcluded = processes.some(({ group, excluded }) => group === id && excluded === true);
    return isExcluded && groupsOf(stage.world, database).length > before;
  });
  await stage.world.pass(seconds(90));
  wish([], [id]);
  await stage.calm();
  wish([], []);
  await stage.calm();
}

/**
 * A server of a database whose servers are spread evenly over the zones, if there is one. Otherwise the one that is too many after the cancel is
 * not the successor but one of the fullest zone.
 */
function choose(world: DemoWorld): { readonly database: DemoDatabase; readonly id: ProcessGroupId } {
  const databases = [world.database('shop'), world.database('ledger')];
  const database = databases.find((one) => isEven(serversOf(world, one))) ?? world.database('shop');
  const { units } = database.parts.model.whole();
  // One with much to move: one that is empty would be gone before anybody changes her mind.
  const held = (id: string) => units.filter(({ replicas }) => replicas.some(({ process }) => process === id)).length;
  const [fullest] = serversOf(world, database).toSorted((a, b) => held(b.id) - held(a.id));
  if (fullest === undefined) throw new RangeError(`${database.name} has no server`);
  return { database, id: fullest.id };
}

function isEven(servers: readonly ProcessGroup[]): boolean {
  const counts = ['z1', 'z2', 'z3'].map((zone) => servers.filter((server) => server.zone === zone).length);
  return Math.max(...counts) - Math.min(...counts) <= 1;
}

const serversOf = ({ cluster }: DemoWorld, database: DemoDatabase): readonly ProcessGroup[] =>
  database.recorded(cluster).rows.filter(({ role }) => role === 'dbserver');

const groupsOf = ({ cluster }: DemoWorld, database: DemoDatabase): readonly ProcessGroupId[] =>
  database
    .recorded(cluster)
    .rows.map(({ id }) => id)
    .toSorted();
