import { minutes } from '../../../kube/clock.ts';
import { list } from '../../../model/phrases.ts';
import { Drain } from '../drain.ts';
import { podsOfOn } from '../places.ts';
import type { Stage } from '../stage.ts';
import type { DemoWorld } from '../world.ts';
import type { Act } from './act.ts';

/** A node is drained and its machine taken away, disks and all. */
export const drainANode: Act = {
  name: 'drain',
  title: 'A node is drained, and its machine taken away',
  async play(stage) {
    const { world } = stage;
    const node = chooseNode(world);
    const pods = ['shop', 'ledger'].flatMap((database) =>
      podsOfOn(world, database, node).map((pod) => `${database}/${pod}`),
    );
    await stage.open(
      `jane drains ${node}: ${list(pods, 5)} are asked to go. Then the machine is taken away with its disks.`,
      'Their disks are in that machine, so whatever exists only there must be copied first. Drover hands leadership over, has each database ' +
        'move its data to servers that stay, and lets a pod go only when every rule agrees, one of a database at a time.',
    );
    await drain(stage, node);
    return `${node} was drained and its disks destroyed; no shard lost its last copy and no agency its majority`;
  },
};

async function drain(stage: Stage, node: string): Promise<void> {
  const drain = new Drain(stage.world, node);
  await drain.begin();
  await stage.expect(`${node} becomes empty`, minutes(240), () => drain.step());
  drain.swapMachine();
  stage.unharmed();
  await drain.end();
  await stage.calm();
  await stage.close(
    `${node} is empty and its disks are gone, and nothing is lost: every shard has all its copies, every agency its majority. ` +
      `A new machine stands in its place.`,
  );
}

/** With data of both databases, and with the leader of an agency where there is one; not the one with the lone server. */
function chooseNode(world: DemoWorld): string {
  const worth = (node: string) => {
    const shop = podsOfOn(world, 'shop', node);
    const ledger = podsOfOn(world, 'ledger', node);
    const leads = world
      .database('shop')
      .parts.model.whole()
      .quorums.some(({ leader }) => shop.some((pod) => pod === leader));
    const isOut = podsOfOn(world, 'reports', node).length > 0 || !shop.some((pod) => pod.startsWith('dbserver'));
    return isOut ? -1 : shop.length + ledger.length + (leads ? 2 : 0);
  };
  const names = Array.from({ length: 9 }, (_, index) => `n${index + 1}`);
  return names.toSorted((a, b) => worth(b) - worth(a))[0] ?? 'n1';
}
