import { readFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import type { Clock } from './clock.ts';
import { minutes } from './clock.ts';
import type { Connection, Credentials } from './connection.ts';
import { ConfigurationError } from './errors.ts';
import { remembered } from './remembered.ts';

/**
 * The connection that a kubeconfig describes: its current context, or the one named. client-node does the reading, so that exec
 * plug-ins, OIDC and client certificates work as in kubectl; it is loaded only here because it costs 80 MB and half a second.
 */
export async function kubeconfigConnection(file: string, clock: Clock, context?: string): Promise<Connection> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  await load(config, file);
  if (context !== undefined) useContext(config, file, context);
  const cluster = config.getCurrentCluster();
  if (cluster === null) {
    throw new ConfigurationError(
      `${file} has no current context; choose one with kubectl config use-context, or --context`,
    );
  }
  return {
    server: serverAddress(cluster.server, file),
    source: file,
    namespace: config.getContextObject(config.getCurrentContext())?.namespace,
    credentials: remembered(clock, minutes(1), () => ask(config, file, cluster.proxyUrl !== undefined)),
  };
}

async function load(config: KubeConfig, file: string): Promise<void> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw new ConfigurationError(
      `cannot read the kubeconfig ${file} (${codeOf(cause)}); name another with --kubeconfig`,
      cause,
    );
  }
  try {
    config.loadFromString(text);
  } catch (cause) {
    const why = cause instanceof Error ? (cause.message.split('\n', 1)[0] ?? '') : '';
    throw new ConfigurationError(`${file} is not a kubeconfig: ${why}`, cause);
  }
  if (config.getContexts().length === 0)
    throw new ConfigurationError(`${file} is not a kubeconfig: it has no contexts`);
  config.makePathsAbsolute(file.slice(0, Math.max(0, file.lastIndexOf('/'))) || '.');
}

function useContext(config: KubeConfig, file: string, context: string): void {
  if (config.getContextObject(context) === null) {
    const known = config.getContexts().map(({ name }) => name);
    throw new ConfigurationError(`${file} has no context ${context}; it has ${known.join(', ')}`);
  }
  config.setCurrentContext(context);
}

async function ask(config: KubeConfig, file: string, proxied: boolean): Promise<Credentials> {
  const options: RequestOptions = {};
  try {
    await config.applyToHTTPSOptions(options);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigurationError(`${file} gives no credentials: ${why}`, cause);
  }
  const { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername, auth, agent } = options;
  const basic =
    auth === undefined || auth === null ? {} : { authorization: `Basic ${Buffer.from(auth).toString('base64')}` };
  return {
    headers: { ...basic, ...textHeaders(options.headers) },
    tls: {
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
      ...(pfx !== undefined && { pfx }),
      ...(passphrase !== undefined && { passphrase }),
      ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
      ...(servername !== undefined && { servername }),
    },
    ...(proxied && typeof agent === 'object' && { agent }),
  };
}

function serverAddress(server: string, file: string): URL {
  if (!URL.canParse(server)) throw new ConfigurationError(`${file} names ${server} as server, which is not a URL`);
  return new URL(server);
}

function textHeaders(headers: RequestOptions['headers']): Record<string, string> {
  const entries = Object.entries(headers ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
}
