import { minutes } from '../../../kube/clock.ts';
import { list } from '../../../model/phrases.ts';
import { maintenanceTaint } from '../databases.ts';
import { taint, untaint } from '../people.ts';
import { groupsOn, nodeToTaint } from '../places.ts';
import type { Act } from './act.ts';

/** A taint appears on a node, and whoever is on it is replaced after a while. */
export const taintANode: Act = {
  name: 'taint',
  title: 'A taint appears on a node',
  async play(stage) {
    const { world } = stage;
    const shop = world.database('shop');
    const node = nodeToTaint(world);
    const victims = groupsOn(world, shop.name, node);
    await stage.open(
      `Somebody taints ${node}: ${maintenanceTaint}=yes:NoSchedule. ${list(victims)} of shop is there.`,
      'A taint may be a mistake that is taken back, so Drover notes it at once and waits for the duration that the spec names, 5 min. ' +
        'Then it replaces: first a new process group elsewhere, then the data moves, and only then the old one goes.',
    );
    await taint(world, node, maintenanceTaint);
    await stage.expect(`the taint on ${node} is noticed`, minutes(5), () =>
      victims.every((id) => shop.row(id)?.conditions.some(({ type }) => type === 'NodeTaintDetected')),
    );
    const noticedAt = world.clock.now();
    await stage.expect(`${list(victims)} is replaced`, minutes(60), () =>
      victims.every((id) => shop.row(id) === undefined),
    );
    stage.check('the taint was not waited for', world.clock.now() - noticedAt >= minutes(5) - tolerance);
    stage.check(`${node} still has a server of shop`, groupsOn(world, shop.name, node).length === 0);
    await untaint(world, node, maintenanceTaint);
    await stage.calm();
    await stage.close(
      `${list(victims)} is gone from ${node}, a new server has its data elsewhere, and shop has its 5 servers again.`,
    );
    return `${list(victims)} on ${node} was noticed, waited for and replaced`;
  },
};

/** It is noticed at the next look, up to this long after the taint came. */
const tolerance = minutes(1);
