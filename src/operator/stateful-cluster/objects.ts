import { jsonCodec } from '../../kube/codec.ts';
import type { Informer, Readable } from '../../kube/informer.ts';
import type { KeyText, KubeObject } from '../../kube/object.ts';
import { keyText } from '../../kube/object.ts';
import type { Resource } from '../../kube/resource.ts';
import type { Pod as KubePod } from '../../kube/resources.ts';
import { pods } from '../../kube/resources.ts';
import type { Pod, ProcessGroup } from '../../model/process-group.ts';
import type { ControllerContext } from '../controller.ts';
import type { Claim, Service } from '../resources.ts';
import { claims, services, volumes } from '../resources.ts';
import type { Volume, VolumeView } from '../seen/volume.ts';
import { volumeView } from '../seen/volume.ts';
import type { LabelledObject } from './adoption.ts';
import type { Kept, KeptClaim } from './as-made.ts';
import { wouldChange } from './as-made.ts';
import type { Cluster } from './cluster.ts';
import { coreSpecOf } from './core-spec.ts';
import { faultsOf, faultsText } from './faults.ts';
import { groupLabels, objectNames } from './marks.ts';
import type { Belonging } from './seen/belonging.ts';
import { belongsTo } from './seen/belonging.ts';
import type { ClaimView } from './seen/claim.ts';
import { claimView, seenClaim } from './seen/claim.ts';
import type { PodView } from './seen/pod.ts';
import { podView } from './seen/pod.ts';
import type { ServiceView } from './seen/service.ts';
import { seenService, serviceView } from './seen/service.ts';

/** An object of a process group, as it was read. */
interface OfGroup {
  readonly key: KeyText;
  readonly version: string;
  readonly belonging: Belonging | undefined;
}

type OfCluster<T> = Informer<T, 'cluster'>;

/** The pods, claims, services and volumes of all clusters, as the watches told: what is read here may be behind. */
export class Objects {
  readonly #pods: OfCluster<PodView>;
  readonly #claims: OfCluster<ClaimView>;
  readonly #services: OfCluster<ServiceView>;
  readonly #volumes: Informer<VolumeView>;
  readonly informers: readonly Readable[];

  constructor(context: Pick<ControllerContext, 'informer'>) {
    this.#pods = ofClusters<KubePod, PodView>(context, pods, podView);
    this.#claims = ofClusters<Claim, ClaimView>(context, claims, claimView);
    this.#services = ofClusters<Service, ServiceView>(context, services, serviceView);
    this.#volumes = context.informer<VolumeView, never>({
      resource: volumes,
      codec: jsonCodec<Volume, VolumeView>(volumeView),
      key: ({ key }) => key,
      version: ({ version }) => version,
      indexes: {},
    });
    this.informers = [this.#pods, this.#claims, this.#services, this.#volumes];
  }

  /** The objects of one process group. Those of another cluster, which has or had the same name, are nobody's here. */
  of(cluster: Cluster, { id, role }: ProcessGroup): Pick<ProcessGroup, 'pod' | 'claim' | 'service'> {
    const hasClaim = cluster.spec.roles.find(({ name }) => name === role)?.volumeClaimTemplate !== undefined;
    const claim = ours(cluster, this.#claims, objectNames.claim(cluster.name, id));
    const service = ours(cluster, this.#services, objectNames.service(cluster.name, id));
    const pod = ours(cluster, this.#pods, objectNames.pod(cluster.name, id));
    return {
      pod:
        pod === undefined
          ? null
          : this.#compared(cluster, { id, role }, withFaults(pod, faultsText(faultsOf(cluster, id)))),
      claim: claim === undefined ? (hasClaim ? null : 'none') : seenClaim(claim, this.#volumes.cache.get(claim.volume)),
      service:
        service === undefined ? (cluster.spec.publicIPSource === 'Service' ? null : 'none') : seenService(service),
    };
  }

  /** The pods of a cluster that are on record or not. */
  podsOf(cluster: Cluster): readonly PodView[] {
    const found = this.#pods.cache.find('cluster', cluster.key);
    return found.filter(({ belonging }) => belonging !== undefined && belongsTo(cluster, belonging));
  }

  /** What of a process group outlives its pod. */
  kept(cluster: Cluster, { id }: Pick<ProcessGroup, 'id'>): Kept {
    const service = ours(cluster, this.#services, objectNames.service(cluster.name, id));
    const claim = ours(cluster, this.#claims, objectNames.claim(cluster.name, id));
    return { publicIP: service?.address ?? null, claim: claim === undefined ? null : this.#keptClaim(claim) };
  }

  /** With whether it would be made otherwise now. That is asked only where it differs at all: a hash costs more than a look. */
  #compared(cluster: Cluster, group: Pick<ProcessGroup, 'id' | 'role'>, pod: Pod): Pod {
    const { specHash } = pod.shape;
    const wanted = coreSpecOf(cluster).roles.find(({ name }) => name === group.role)?.shape;
    const role = cluster.spec.roles.find(({ name }) => name === group.role);
    if (role === undefined || specHash === wanted?.specHash) return pod;
    return { ...pod, wouldChange: wouldChange(specHash, cluster, role, this.kept(cluster, group)) };
  }

  #keptClaim(claim: ClaimView): KeptClaim {
    const { processes, nodeSelector, volume } = claim;
    // One that has no volume yet can be given one anywhere.
    const travels = volume === '' || seenClaim(claim, this.#volumes.cache.get(volume)).travels;
    return { processes, nodeSelector, travels };
  }

  /** Everything that carries the labels of the cluster. */
  labelled(cluster: Cluster): readonly LabelledObject[] {
    const { key } = cluster;
    return [
      ...this.#pods.cache.find('cluster', key).map((view): LabelledObject => {
        return { ...view, what: 'pod', deleting: view.pod.deletingSince !== null };
      }),
      ...this.#claims.cache.find('cluster', key).map((view): LabelledObject => ({ what: 'claim', ...view })),
      ...this.#services.cache.find('cluster', key).map((view): LabelledObject => ({ what: 'service', ...view })),
    ];
  }

  /** Tells which cluster something happened to. Call the result to stop. */
  subscribe(hear: (cluster: KeyText) => void): () => void {
    const tell = ({ belonging }: OfGroup) => {
      if (belonging !== undefined) hear(clusterOf(belonging));
    };
    const handler = { added: tell, updated: tell, deleted: tell };
    const stops = [
      this.#pods.cache.subscribe(handler),
      this.#claims.cache.subscribe(handler),
      this.#services.cache.subscribe(handler),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }
}

/** The object of that name, if it is the cluster's. */
function ours<T extends OfGroup>(cluster: Cluster, { cache }: OfCluster<T>, name: string): T | undefined {
  const found = cache.get(keyText({ namespace: cluster.namespace, name }));
  return found?.belonging !== undefined && belongsTo(cluster, found.belonging) ? found : undefined;
}

/** A pod with other faults than people inject now is as outdated as one of another spec: they want them now, and gone when they take them back. */
function withFaults({ pod, faults }: PodView, wanted: string): Pod {
  return faults === wanted ? pod : { ...pod, shape: { ...pod.shape, specHash: '' } };
}

function ofClusters<Raw extends KubeObject, View extends OfGroup>(
  { informer }: Pick<ControllerContext, 'informer'>,
  resource: Resource<Raw>,
  view: (raw: Raw) => View,
): OfCluster<View> {
  return informer<View, 'cluster'>({
    resource,
    codec: jsonCodec<Raw, View>(view),
    labelSelector: groupLabels.cluster,
    key: ({ key }) => key,
    version: ({ version }) => version,
    indexes: { cluster: ({ belonging }) => (belonging === undefined ? [] : [clusterOf(belonging)]) },
  });
}

const clusterOf = ({ namespace, cluster }: Belonging): KeyText => keyText({ namespace, name: cluster });
