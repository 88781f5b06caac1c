import type { Grant } from '../../model/snapshot.ts';
import type { AskRow } from '../../operator/lock/ask-row.ts';
import { guardLabel, open } from '../../operator/lock/guard-label.ts';
import { at, textAt } from '../api-server/json.ts';
import { podsOf } from '../cluster/pod-view.ts';
import { storedAs } from '../cluster/resources.ts';
import type { Place } from './subject.ts';
import { namespace } from './subject.ts';

/** What an owner of pods has on record of those who want them gone. */
interface Passages {
  readonly asks: readonly AskRow[];
  readonly grants: readonly Grant[];
}

/** What is left of drains once nobody drains anything any more: everything of it should be undone, or forgotten in time. */
export function whatIsLeft({ cluster: { world } }: Place, ...owners: readonly Passages[]): string | undefined {
  const [grant] = owners.flatMap(({ grants }) => grants);
  if (grant !== undefined) return `${grant.group} counts as let go`;
  const [ask] = owners.flatMap(({ asks }) => asks);
  if (ask !== undefined) return `${ask.by} is still on record as one who wants ${ask.name} gone`;
  const opened = [...podsOf(world, namespace)].find(({ labels }) => labels[guardLabel] === open);
  if (opened !== undefined) return `${opened.name} stands open`;
  for (const { object } of world.store.collection('nodedrains.drover.dev').entries()) {
    const { name, phase } = { name: textAt(object, 'metadata', 'name'), phase: textAt(object, 'status', 'phase') };
    return `the NodeDrain ${name} is still there: ${phase}`;
  }
  for (const { object } of world.store.collection(storedAs.nodes).entries()) {
    if (at(object, 'spec', 'unschedulable') === true) return `${textAt(object, 'metadata', 'name')} is still cordoned`;
  }
  return undefined;
}
