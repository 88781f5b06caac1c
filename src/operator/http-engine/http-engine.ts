import { EngineUnreachable } from '../../engines/engine.ts';
import { HttpEngine } from '../../engines/http/http-engine.ts';
import type { GroupOf } from '../../engines/http/observe.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { Clock } from '../../kube/clock.ts';
import { seconds } from '../../kube/clock.ts';
import type { Connection } from '../../kube/connection.ts';
import { nodeTransport } from '../../kube/node-transport.ts';
import type { Transport } from '../../kube/transport.ts';
import type { ProcessGroupId } from '../../model/ids.ts';
import { instant } from '../../model/time.ts';
import type { ReachablePod } from '../engine-room/engine-source.ts';
import { anyPod } from './any-pod.ts';
import { exchangeOver } from './exchange-over.ts';
import type { HttpConnection } from './secret-credentials.ts';
import { SecretCredentials } from './secret-credentials.ts';

/** What engines that speak HTTP are made with. */
export interface HttpParts {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** The way to a server. @default over the network */
  readonly transportTo?: (connection: Connection) => Transport;
}

/** Whose engine it is: a StatefulCluster or an EvictionGuard. */
export interface HttpSubject {
  readonly namespace: string;
  readonly connection: HttpConnection;
  /** Its pods, as they are when asked, and those that are away. */
  readonly pods: () => readonly ReachablePod[];
  /** The process group that was last known by this address. */
  readonly groupAt: (host: string) => ProcessGroupId | undefined;
}

/** The engine that `spec.engine.http` describes. Secrets are read by their names, when they are needed. */
export function httpEngine(parts: HttpParts, subject: HttpSubject): HttpEngine {
  const { client, clock, transportTo = nodeTransport } = parts;
  const { namespace, connection, pods } = subject;
  const { url, port, path, timeoutSeconds, tlsSecretRef } = connection;
  const secretly = new SecretCredentials({ client, clock, namespace, connection });
  const source =
    tlsSecretRef === undefined
      ? "the operator's own list of authorities, or set engine.http.tlsSecretRef"
      : `ca.crt of the Secret ${namespace}/${tlsSecretRef.name}`;
  const to = (server: URL): Transport =>
    transportTo({ server, source, credentials: (renew) => secretly.credentials(renew) });
  const scheme = tlsSecretRef === undefined ? 'http' : 'https';
  const toPod = (address: string) => to(new URL(`${scheme}://${hostIn(address)}:${port ?? 80}${path}`));
  const transport = url === undefined ? anyPod(pods, toPod) : toUrl(url, to);
  return new HttpEngine({
    exchange: exchangeOver({ transport, clock, limit: seconds(timeoutSeconds) }),
    now: () => instant(clock.now()),
    groupOf: groupsOf(subject),
  });
}

/** What the API server lets through as an address may still be none: a port of 99999. */
function toUrl(url: string, to: (server: URL) => Transport): Transport {
  const server = URL.parse(url);
  if (server !== null) return to(server);
  const why = `engine.http.url ${url} is no address that can be asked: look at its host and port`;
  return { send: () => Promise.reject(new EngineUnreachable(why)), close() {} };
}

/** By the name of the pod or of the process group; where none is named, by an address that one pod alone has, or one that is away had. */
const groupsOf =
  ({ pods, groupAt }: Pick<HttpSubject, 'pods' | 'groupAt'>): GroupOf =>
  (named, addresses) => {
    if (named !== undefined) return pods().find(({ name, group }) => name === named || group === named)?.group;
    const hosts = new Set(addresses.map(hostOf));
    const found = pods().filter((pod) => pod.addresses.some((address) => hosts.has(address)));
    if (found.length > 0) return found.length === 1 ? found[0]?.group : undefined;
    const last = [...hosts].flatMap((host) => groupAt(host) ?? [])[0];
    return pods().some(({ group, addresses: has }) => group === last && has.length === 0) ? last : undefined;
  };

/** `10.0.0.7`, of `10.0.0.7:8080` as well; `fd00::7`, of `[fd00::7]:8080` as well. */
const hostOf = (address: string): string =>
  /^\[(.*)\](?::\d+)?$/.exec(address)?.[1] ?? (/^[^:]*:\d+$/.test(address) ? address.replace(/:\d+$/, '') : address);

const hostIn = (address: string): string => (address.includes(':') ? `[${address}]` : address);
