import { globSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { runEmbeddedOperator } from '../../src/embedded/operated/embedded-operator.ts';
import { FoundationDBDatabases } from '../../src/embedded/operated/foundationdb-databases.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { jsonCodec } from '../../src/kube/codec.ts';
import { kubeconfigConnection } from '../../src/kube/kubeconfig.ts';
import { jsonLogger } from '../../src/kube/log.ts';
import { nodeTransport } from '../../src/kube/node-transport.ts';
import type { KubeObject } from '../../src/kube/object.ts';
import { realRandom } from '../../src/kube/random.ts';
import { realClock } from '../../src/kube/real-clock.ts';
import { nodes } from '../../src/kube/resources.ts';
import type { Transport } from '../../src/kube/transport.ts';
import { Desk } from '../../src/operator/lock/desk.ts';
import { names } from '../../src/operator/names.ts';
import { statefulClusters } from '../../src/operator/stateful-cluster/view.ts';
import { FollowedPods } from '../../test/cluster/foundationdb/followed-pods.ts';
import { startCluster } from '../../tools/control-plane/cluster.ts';

/** Clusters of 20 process groups each. */
const clusters = Number(process.env['DROVER_BENCH_CLUSTERS'] ?? 200);
const pods = clusters * 20;
/** A node takes 110, and the scheduler does not fill them evenly. */
const podsOfANode = 80;
const replaced = Math.min(10, clusters);
const template = { spec: { containers: [{ name: 'foundationdb', image: 'foundationdb:7.3.63' }] } };
const volumeClaimTemplate = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const spec = {
  engine: { type: 'foundationdb', version: '7.3.63', foundationdb: {} },
  roles: [
    { name: 'storage', count: 10, template, volumeClaimTemplate },
    { name: 'log', count: 5, template, volumeClaimTemplate },
    { name: 'stateless', count: 5, template },
  ],
  automationOptions: {
    replacements: {
      enabled: true,
      taintReplacementOptions: [{ key: 'example.com/maintenance', durationInSeconds: 3600 }],
    },
  },
};

interface Row {
  readonly nodeName: string | null;
  readonly conditions: readonly { readonly type: string }[];
}
interface Seen extends KubeObject {
  readonly status?: {
    readonly counts?: { readonly available: number; readonly leaving: number; readonly current: number };
    readonly processGroups?: readonly Row[];
  };
}

/**
 * The controller over many clusters on the real control plane, the databases in the same process: how soon a taint is in every status, what a
 * replacement costs in writes, what rest costs. No rival does this for FoundationDB on this machine; the least possible is the measure.
 */
export async function bench(): Promise<void> {
  const control = await startCluster({ nodes: Math.max(30, Math.ceil(pods / podsOfANode)), zones: 3 });
  const end = new AbortController();
  const { signal } = end;
  try {
    for (const file of globSync('deploy/crds/*.yaml')) await control.apply(readFileSync(file, 'utf8'));
    await control.kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
    // Where the operator lives, and with it the detectors' jobs: without it each of them is tried again and again.
    await control.kubectl(['create', 'namespace', names.namespace]);
    const direct = nodeTransport(await kubeconfigConnection(control.kubeconfig, realClock));
    const rateLimit = { perSecond: 1000, burst: 1000 };
    const people = new KubeClient({ transport: direct, clock: realClock, random: realRandom, rateLimit });
    const databases = new FoundationDBDatabases({
      clock: realClock,
      random: realRandom,
      database: { bytes: 2 ** 28, recoveryAgesBy: 1000 },
    });
    void new FollowedPods(people, databases.hooks).run(signal);
    const counted = countingTransport(direct);
    void runEmbeddedOperator(
      {
        transport: counted.transport,
        clock: realClock,
        random: realRandom,
        logger: jsonLogger({ clock: realClock, level: 'error' }),
        engines: { foundationdb: databases.sourceBy(realClock) },
        desk: new Desk(realClock),
      },
      signal,
    );
    const look = async (): Promise<readonly Seen[]> =>
      (
        await people.list(
          statefulClusters,
          jsonCodec<Seen, Seen>((seen) => seen),
          { signal },
        )
      ).items;
    const until = async (isSo: (all: readonly Seen[]) => boolean, every = 1000): Promise<number> => {
      const started = performance.now();
      while (!isSo(await look())) await pause(every);
      return (performance.now() - started) / 1000;
    };
    const create = async (index: number) => {
      const object: KubeObject & { readonly spec: object } = {
        metadata: { namespace: 'default', name: `c${index}` },
        spec,
      };
      await people.create(statefulClusters, object, { signal });
    };
    console.log(`controller: ${clusters} clusters of 20 process groups on the real control plane`);
    for (let index = 0; index < clusters; index++) await create(index);
    const atRest = (all: readonly Seen[]) =>
      all.every(({ status }) => status?.counts?.available === 20 && status.counts.leaving === 0);
    console.log(`  all up after ${(await until(atRest)).toFixed(0)} s, ${counted.writes()} writes`);

    await pause(60_000);
    const before = counted.writes();
    await pause(60_000);
    const atEase = counted.writes() - before;
    console.log(
      `  at rest: ${atEase} writes a minute; RSS ${Math.round(process.memoryUsage().rss / 2 ** 20)} MB, databases included`,
    );
    if (atEase > 0) throw new Error(`at rest nothing is written, and here were ${atEase} writes`);

    const taints = [{ key: 'example.com/maintenance', value: 'yes', effect: 'NoSchedule' }];
    const isDetected = (all: readonly Seen[]) =>
      all.every(({ status }) =>
        (status?.processGroups ?? []).every(
          ({ nodeName, conditions }) =>
            nodeName !== 'n1' || conditions.some(({ type }) => type === 'NodeTaintDetected'),
        ),
      );
    const affected = (await look())
      .flatMap(({ status }) => status?.processGroups ?? [])
      .filter(({ nodeName }) => nodeName === 'n1');
    const tainted = performance.now();
    await people.patch(nodes, { name: 'n1' }, { type: 'merge', body: { spec: { taints } } }, { signal });
    await until(isDetected, 50);
    const detected = ((performance.now() - tainted) / 1000).toFixed(1);
    console.log(`  a taint on a node with ${affected.length} of them: in every status after ${detected} s`);
    await people.patch(nodes, { name: 'n1' }, { type: 'merge', body: { spec: { taints: null } } }, { signal });
    await pause(15_000);

    const started = counted.writes();
    for (let index = 0; index < replaced; index++) {
      const body = { spec: { processGroupsToRemove: ['storage-11'] } };
      await people.patch(
        statefulClusters,
        { namespace: 'default', name: `c${index}` },
        { type: 'merge', body },
        { signal },
      );
    }
    await pause(10_000);
    const took = await until(atRest);
    const writes = (counted.writes() - started) / replaced;
    console.log(
      `  ${replaced} replaced after ${(took + 10).toFixed(0)} s: ${writes.toFixed(1)} writes each; the least is 4 for the objects and one record before each of 6 steps`,
    );
  } finally {
    end.abort();
    await control.stop();
  }
}

function countingTransport(direct: Transport): { readonly transport: Transport; readonly writes: () => number } {
  let writes = 0;
  return {
    writes: () => writes,
    transport: {
      close: () => direct.close(),
      send(request, signal) {
        if (request.method !== 'GET' && !request.path.includes('/events')) writes += 1;
        return direct.send(request, signal);
      },
    },
  };
}
