import type { KubeClient } from '../../kube/client.ts';
import type { Clock } from '../../kube/clock.ts';
import { toTimestamp } from '../../kube/clock.ts';
import { jsonCodec } from '../../kube/codec.ts';
import { ConfigurationError, isNotFound } from '../../kube/errors.ts';
import type { KeyText, KubeObject } from '../../kube/object.ts';
import { parseKey } from '../../kube/object.ts';
import { pods } from '../../kube/resources.ts';
import { name } from '../../model/ids.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { instant } from '../../model/time.ts';
import type { Topology, Unreachable } from '../../model/topology.ts';
import { isUnreachable } from '../../model/topology.ts';
import { EngineRoom } from '../engine-room/engine-room.ts';
import type { EngineSources } from '../engine-room/engine-source.ts';
import type { Cluster } from '../stateful-cluster/cluster.ts';
import { clusterSpecOf } from '../stateful-cluster/cluster-spec.ts';
import { ConnectionKeeper } from '../stateful-cluster/connection-keeper.ts';
import { detectedAnnotation, groupLabels } from '../stateful-cluster/marks.ts';
import { shapeOf } from '../stateful-cluster/pod-shape.ts';
import { readCluster } from '../stateful-cluster/read-cluster.ts';
import { recordedIn } from '../stateful-cluster/recorded.ts';
import { belongsTo } from '../stateful-cluster/seen/belonging.ts';
import type { PodView } from '../stateful-cluster/seen/pod.ts';
import { podView } from '../stateful-cluster/seen/pod.ts';
import { surroundingsOf } from '../stateful-cluster/surroundings.ts';
import { statefulClusters } from '../stateful-cluster/view.ts';
import type { MissingGroup } from './missing-groups.ts';
import { missingGroups } from './missing-groups.ts';

export interface DetectorParts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly engines: EngineSources;
}

/** What a look at a cluster found. */
export interface Detection {
  readonly cluster: KeyText;
  /** When it looked. The cluster is annotated with this time where anything is missing. */
  readonly at: string;
  readonly missing: readonly MissingGroup[];
  /** `not-set-up`: a new cluster has not been brought up yet, and so misses nothing. */
  readonly engine: 'answers' | 'silent' | 'not-set-up';
  /** Why the engine says nothing; null: it answers. */
  readonly why: string | null;
}

/**
 * Looks whether anything of a cluster is missing, and only then annotates it with the time, which has the operator look at it at once. Rejects with
 * `ConfigurationError` where there is no such cluster, or no engine for it.
 */
export async function detect(parts: DetectorParts, key: KeyText, signal: AbortSignal): Promise<Detection> {
  const { client, clock } = parts;
  const cluster = readCluster(await read(client, key, signal));
  const views = await podsOf(client, cluster, signal);
  const topology = await topologyOf(parts, cluster, views, signal);
  const missing = missingGroups(snapshotOf(cluster, views, topology, clock));
  const at = toTimestamp(clock.now());
  if (missing.length > 0) {
    const metadata = { uid: cluster.uid, annotations: { [detectedAnnotation]: at } };
    const options = { signal, fieldManager: 'drover-detector' };
    await client.patch(statefulClusters, parseKey(key), { type: 'merge', body: { metadata } }, options);
  }
  const why = isUnreachable(topology) ? topology.unreachable : null;
  const engine = isUp(cluster) ? (why === null ? 'answers' : 'silent') : 'not-set-up';
  return { cluster: key, at, missing, engine, why };
}

async function read(client: KubeClient, key: KeyText, signal: AbortSignal): Promise<KubeObject> {
  try {
    return await client.get(statefulClusters, parseKey(key), { signal });
  } catch (error) {
    if (isNotFound(error)) throw new ConfigurationError(`there is no StatefulCluster ${key}`, error);
    throw error;
  }
}

async function topologyOf(
  { client, clock, engines }: DetectorParts,
  cluster: Cluster,
  views: readonly PodView[],
  signal: AbortSignal,
): Promise<Topology | Unreachable> {
  const room = new EngineRoom(engines, clock);
  const connections = new ConnectionKeeper(client);
  const whereabouts = { client, connections, pods: () => views };
  const engine = room.engineOf(cluster, surroundingsOf(cluster, recordedIn(cluster.status), whereabouts));
  if (engine === undefined) {
    throw new ConfigurationError(`this version of Drover has no engine for ${cluster.spec.engine.type}`);
  }
  if (!isUp(cluster)) return room.silence(cluster.key, 'the cluster has not been set up yet').topology;
  await connections.read(cluster, signal);
  const { topology } = await room.listen(cluster.key, signal);
  return topology;
}

const isUp = ({ status }: Cluster): boolean => status.bootstrapTimestamp !== null;

async function podsOf(client: KubeClient, cluster: Cluster, signal: AbortSignal): Promise<readonly PodView[]> {
  const { namespace } = cluster;
  const labelSelector = `${groupLabels.cluster}=${cluster.name}`;
  const { items } = await client.list(pods, jsonCodec(podView), { signal, namespace, labelSelector });
  return items.filter(({ belonging }) => belonging !== undefined && belongsTo(cluster, belonging));
}

/** Of the objects only pods are read: claims and services are none of the detector's business. */
function snapshotOf(
  cluster: Cluster,
  views: readonly PodView[],
  topology: Topology | Unreachable,
  clock: Clock,
): Snapshot {
  const { rows, nextGroupNumber, lastRemovalAt, maintenance } = recordedIn(cluster.status);
  return {
    cluster: name(cluster.key),
    now: instant(clock.now()),
    spec: clusterSpecOf(cluster.spec, (role) => shapeOf(cluster, role)),
    processGroups: rows.map((row) => {
      const pod = views.find(({ belonging }) => belonging?.group === row.id)?.pod ?? null;
      return { ...row, pod, claim: 'none', service: 'none' };
    }),
    nodes: null,
    topology,
    grants: [],
    asks: [],
    jobs: [],
    nextGroupNumber,
    lastRemovalAt,
    maintenance,
    share: { reserved: 'all', quota: null },
  };
}
