import { at, type JsonObject, numberAt, textAt } from '../../api-server/json.ts';
import { hasEnded, isDeleting, isReady, type PodView } from '../pod-view.ts';
import { templateHash } from './pod-template.ts';

/** One thing that the stateful set controller does now. */
export type SetAction =
  | { readonly kind: 'create'; readonly name: string; readonly ordinal: number }
  | { readonly kind: 'delete'; readonly pod: PodView };

export const revisionLabel = 'controller-revision-hash';

export const revisionOf = (set: JsonObject): string => `${textAt(set, 'metadata', 'name')}-${templateHash(set)}`;

const isHealthy = (pod: PodView) => isReady(pod) && !isDeleting(pod);

/** The ordinals of the pods that should be there. */
export function ordinalsOf(set: JsonObject): number[] {
  const first = numberAt(set, 'spec', 'ordinals', 'start') ?? 0;
  return Array.from({ length: numberAt(set, 'spec', 'replicas') ?? 1 }, (_, index) => first + index);
}

/**
 * After `stateful_set_control.go`: pods are made from the lowest ordinal up, each when those below are ready; taken away from the highest down, each
 * when all are well; and updated from the highest down in the same way. With `podManagementPolicy: Parallel` nobody waits for making and
 * taking away. `pods` are those that the set owns.
 */
export function planStatefulSet(set: JsonObject, pods: readonly PodView[]): SetAction[] {
  const name = textAt(set, 'metadata', 'name');
  const isParallel = textAt(set, 'spec', 'podManagementPolicy') === 'Parallel';
  const actions: SetAction[] = [];
  const wanted = ordinalsOf(set);
  for (const ordinal of wanted) {
    const pod = pods.find((each) => each.name === `${name}-${ordinal}`);
    if (pod === undefined) actions.push({ kind: 'create', name: `${name}-${ordinal}`, ordinal });
    // A pod that is over is made anew; its name must be free first.
    else if (hasEnded(pod) && !isDeleting(pod)) actions.push({ kind: 'delete', pod });
    else if (isHealthy(pod)) continue;
    if (!isParallel) return actions;
  }
  const names = new Set(wanted.map((ordinal) => `${name}-${ordinal}`));
  const surplus = pods.filter((pod) => !names.has(pod.name)).sort((a, b) => ordinalIn(b) - ordinalIn(a));
  for (const pod of surplus) {
    if (!isDeleting(pod)) actions.push({ kind: 'delete', pod });
    if (!isParallel) return actions;
  }
  return actions.length > 0 ? actions : nextUpdate(set, pods, wanted);
}

function nextUpdate(set: JsonObject, pods: readonly PodView[], wanted: readonly number[]): SetAction[] {
  if (textAt(set, 'spec', 'updateStrategy', 'type') === 'OnDelete') return [];
  const partition = numberAt(set, 'spec', 'updateStrategy', 'rollingUpdate', 'partition') ?? 0;
  const revision = revisionOf(set);
  for (const ordinal of wanted.toReversed()) {
    if (ordinal < partition) break;
    const pod = pods.find((each) => ordinalIn(each) === ordinal);
    if (pod === undefined || !isHealthy(pod)) {
      const isOld = pod !== undefined && pod.labels[revisionLabel] !== revision && !isDeleting(pod);
      return isOld ? [{ kind: 'delete', pod }] : [];
    }
    if (pod.labels[revisionLabel] !== revision) return [{ kind: 'delete', pod }];
  }
  return [];
}

export const ordinalIn = ({ name }: PodView): number => Number(name.slice(name.lastIndexOf('-') + 1));

/** The status that the set should show. */
export function statusOfSet(set: JsonObject, pods: readonly PodView[]): JsonObject {
  const names = new Set(ordinalsOf(set).map((ordinal) => `${textAt(set, 'metadata', 'name')}-${ordinal}`));
  const present = pods.filter((pod) => !hasEnded(pod));
  const ready = present.filter(isReady).length;
  const updateRevision = revisionOf(set);
  const updated = present.filter((pod) => pod.labels[revisionLabel] === updateRevision && !isDeleting(pod)).length;
  const isComplete = updated === names.size && present.every((pod) => names.has(pod.name)) && ready === names.size;
  const known = textAt(set, 'status', 'currentRevision');
  const currentRevision = isComplete || known === '' ? updateRevision : known;
  const current = present.filter((pod) => pod.labels[revisionLabel] === currentRevision && !isDeleting(pod)).length;
  return {
    observedGeneration: numberAt(set, 'metadata', 'generation') ?? 0,
    replicas: present.length,
    ...(ready > 0 && { readyReplicas: ready }),
    ...(current > 0 && { currentReplicas: current }),
    ...(updated > 0 && { updatedReplicas: updated }),
    currentRevision,
    updateRevision,
    collisionCount: numberAt(set, 'status', 'collisionCount') ?? 0,
    availableReplicas: ready,
    ...(at(set, 'status', 'conditions') !== undefined && { conditions: at(set, 'status', 'conditions') }),
  };
}
