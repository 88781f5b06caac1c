import { Cache } from '../../src/kube/cache.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { jsonCodec } from '../../src/kube/codec.ts';
import { inClusterConnection } from '../../src/kube/in-cluster.ts';
import { Interner } from '../../src/kube/interner.ts';
import { nodeTransport } from '../../src/kube/node-transport.ts';
import { keyText } from '../../src/kube/object.ts';
import { realRandom } from '../../src/kube/random.ts';
import { realClock } from '../../src/kube/real-clock.ts';
import { Reflector } from '../../src/kube/reflector.ts';
import type { Pod } from '../../src/kube/resources.ts';
import { pods } from '../../src/kube/resources.ts';
import { report } from './reading.ts';

interface PodView {
  readonly key: string;
  readonly version: string;
  readonly uid: string;
  readonly node: string;
  readonly phase: string;
  readonly deleting: boolean;
  readonly labels: Readonly<Record<string, string>>;
}

const [count = '', folder = '', url = ''] = process.argv.slice(2);
const server = new URL(url);
const env = { KUBERNETES_SERVICE_HOST: server.hostname, KUBERNETES_SERVICE_PORT: server.port };
const interner = new Interner();
const codec = jsonCodec<Pod, PodView>(({ metadata, spec, status }) => ({
  key: keyText(metadata),
  version: metadata.resourceVersion ?? '',
  uid: metadata.uid ?? '',
  node: interner.string(spec?.nodeName ?? ''),
  phase: interner.string(status?.phase ?? ''),
  deleting: metadata.deletionTimestamp !== undefined,
  labels: interner.labels(metadata.labels ?? {}),
}));

await report(async () => {
  const client = new KubeClient({
    transport: nodeTransport(inClusterConnection(realClock, env, folder)),
    clock: realClock,
    random: realRandom,
  });
  const cache = new Cache<PodView, 'node'>({
    clock: realClock,
    key: ({ key }) => key,
    version: ({ version }) => version,
    indexes: { node: ({ node }) => [node] },
    onHandlerError: console.error,
  });
  const stop = new AbortController();
  const synced = new Promise<void>((resolve, reject) => {
    const onHealth = (trouble: unknown) => (trouble === undefined ? resolve() : reject(trouble));
    const reflector = new Reflector({
      client,
      clock: realClock,
      random: realRandom,
      resource: pods,
      codec,
      cache,
      onHealth,
    });
    void reflector.run(stop.signal);
  });
  await synced;
  if (cache.size !== Number(count)) throw new Error(`${cache.size} pods instead of ${count}`);
});
