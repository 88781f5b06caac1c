import { minutes, seconds } from '../../../kube/clock.ts';
import type { DemoDatabase } from '../database.ts';
import type { Stage } from '../stage.ts';
import type { Act } from './act.ts';

/** A replacement is begun and cancelled, and everything is as before. */
export const cancelAReplacement: Act = {
  name: 'cancel',
  title: 'A replacement is begun, and cancelled',
  async play(stage) {
    const shop = stage.world.database('shop');
    const id = fullest(shop);
    const before = groupsOf(shop);
    await stage.open(
      `jane lists ${shop.name}/${id} in processGroupsToRemove, and changes her mind while its data is on the way.`,
      'Everything can be undone until the first disk is deleted: Drover takes the mark back, tells the store to keep the data where it is, and ' +
        'takes away the successor that it had added.',
    );
    await replaceAndCancel(stage, shop, id);
    const after = groupsOf(shop);
    stage.check(`there were ${before.join(', ')}, and now ${after.join(', ')}`, before.join() === after.join());
    await stage.close(`${shop.name} has the same process groups, ${id} among them, and nothing is excluded.`);
    return `${id} was marked and being emptied, then cancelled: the same process groups, nothing excluded`;
  },
};

async function replaceAndCancel(stage: Stage, shop: DemoDatabase, id: string): Promise<void> {
  const { world } = stage;
  const before = groupsOf(shop).length;
  await world.change(shop, { processGroupsToRemove: [id] });
  await stage.expect(`${id} is being emptied and has a successor`, minutes(60), () => {
    return isExcluded(shop, id) && groupsOf(shop).length > before;
  });
  await world.pass(seconds(90));
  await world.change(shop, { processGroupsToRemove: [], cancelReplacementsForInstance: [id] });
  await stage.calm();
  await world.change(shop, { cancelReplacementsForInstance: [] });
  await stage.calm();
}

const isExcluded = ({ model }: DemoDatabase, id: string): boolean =>
  model.whole().processes.some(({ group, excluded }) => group === id && excluded === true);

/** With much to move: one that is empty would be gone before anybody changes her mind. */
function fullest(shop: DemoDatabase): string {
  const [id] = groupsOf(shop).toSorted((a, b) => shop.data.unmoved(b) - shop.data.unmoved(a));
  if (id === undefined) throw new RangeError('shop has no server');
  return id;
}

const groupsOf = (database: DemoDatabase): readonly string[] =>
  database
    .status()
    .processGroups.map(({ processGroupID }) => processGroupID)
    .toSorted();
