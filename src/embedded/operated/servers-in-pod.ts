import { name } from '../../model/ids.ts';
import { portOf } from '../../operator/stateful-cluster/manifests/fdbserver-script.ts';
import { groupLabels, madeFrom } from '../../operator/stateful-cluster/marks.ts';
import { listAt, textAt } from '../api-server/json.ts';
import type { PodProcess } from '../cluster/kubelet/pod-hooks.ts';
import type { PodView } from '../cluster/pod-view.ts';
import type { DiskId, EngineProcess } from '../engines/model-engine.ts';

/** The fdbservers that the container of a pod starts, as its command and its environment tell it: none where a fault is built in. */
export function serversIn({ pod, node, address, disks, uid }: PodProcess): readonly EngineProcess[] {
  const { labels, annotations, object } = pod;
  const group = labels[groupLabels.processGroup];
  if (group === undefined) return [];
  const [container] = listAt(object, 'spec', 'containers');
  const crashes = listAt(container, 'command').includes('crash-loop');
  if (crashes || variable(pod, 'DROVER_EMPTY_MONITOR_CONF') === 'true') return [];
  const count = Number(variable(pod, 'DROVER_PROCESSES_PER_POD') || 1);
  const disk = disks[0] ?? uid;
  return Array.from({ length: count }, (_, index) => ({
    id: name(count === 1 ? group : `${group}-${index + 1}`),
    group: name(group),
    role: name(labels[groupLabels.role] ?? ''),
    zone: name(node),
    address: `${annotations[madeFrom.publicIP] ?? address}:${portOf(index + 1)}`,
    disk: diskOf(index === 0 ? disk : `${disk}/${index + 1}`),
  }));
}

/** The one server of a pod that somebody else made, whose role is the label `tier`. */
export function serverOfOthers({ pod, node, disks, uid }: PodProcess, id: string, address: string): EngineProcess {
  const role = name<EngineProcess['role']>(pod.labels['tier'] ?? '');
  return { id: name(id), group: name(id), role, zone: name(node), address, disk: diskOf(disks[0] ?? uid) };
}

/** A volume as its first server knows it; each further one has a folder of it. */
export const diskOf = (disk: string): DiskId => name<DiskId & { readonly names: 'disk' }>(disk);

function variable({ object }: PodView, wanted: string): string {
  const [container] = listAt(object, 'spec', 'containers');
  return textAt(
    listAt(container, 'env').find((one) => textAt(one, 'name') === wanted),
    'value',
  );
}
