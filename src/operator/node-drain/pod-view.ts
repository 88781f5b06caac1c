import { jsonCodec } from '../../kube/codec.ts';
import type { KeyText } from '../../kube/object.ts';
import { keyText } from '../../kube/object.ts';
import type { Pod as KubePod } from '../../kube/resources.ts';
import type { DrainPod } from '../../model/drain.ts';
import { name } from '../../model/ids.ts';
import { instant } from '../../model/time.ts';
import { moment } from '../seen/moment.ts';

/** What is kept of a pod on a node that is drained. */
export interface PodView {
  readonly key: KeyText;
  readonly version: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The names of its volume claims. */
  readonly claims: readonly string[];
  readonly pod: Omit<DrainPod, 'budgets' | 'guarded' | 'refused'>;
}

/** The kubelet writes it on what it runs from files. */
const mirrorAnnotation = 'kubernetes.io/config.mirror';

/** The projection of a cache of pods. */
export function podView({ metadata, spec, status }: KubePod): PodView {
  const key = keyText(metadata);
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  const goneBy = moment(metadata.deletionTimestamp);
  const volumes = spec.volumes ?? [];
  return {
    key,
    version: metadata.resourceVersion ?? '',
    namespace: metadata.namespace ?? '',
    labels: metadata.labels ?? {},
    claims: volumes.flatMap((volume) => claimOf(metadata.name, volume)),
    pod: {
      name: key,
      uid: name(metadata.uid ?? ''),
      resourceVersion: metadata.resourceVersion ?? '',
      madeBy: owner === undefined ? 'Nobody' : owner.kind === 'DaemonSet' ? 'DaemonSet' : 'Controller',
      workload: owner?.uid ?? null,
      mirror: metadata.annotations?.[mirrorAnnotation] !== undefined,
      emptyDir: volumes.some((volume) => volume['emptyDir'] !== undefined),
      finished: status?.phase === 'Succeeded' || status?.phase === 'Failed',
      deletingSince: goneBy === null ? null : instant(goneBy - (metadata.deletionGracePeriodSeconds ?? 0) * 1000),
      goneBy,
    },
  };
}

/** A claim by its name, or one that was made for the pod and is named after both. */
function claimOf(pod: string, volume: NonNullable<KubePod['spec']['volumes']>[number]): readonly string[] {
  if (volume.persistentVolumeClaim !== undefined) return [volume.persistentVolumeClaim.claimName];
  return volume['ephemeral'] === undefined ? [] : [`${pod}-${volume.name}`];
}

export const podCodec = jsonCodec<KubePod, PodView>(podView);
