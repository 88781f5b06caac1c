import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from './clock.ts';
import { minutes } from './clock.ts';
import type { Connection } from './connection.ts';
import { ConfigurationError } from './errors.ts';
import { remembered } from './remembered.ts';

const mounted = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The API server of the cluster that this pod runs in. The kubelet swaps the token about once an hour, so it is read again every minute. */
export function inClusterConnection(
  clock: Clock,
  env: Readonly<Record<string, string | undefined>>,
  folder = mounted,
): Connection {
  const host = env['KUBERNETES_SERVICE_HOST'];
  const port = env['KUBERNETES_SERVICE_PORT'] ?? '443';
  if (host === undefined) {
    throw new ConfigurationError(
      'not inside a cluster (KUBERNETES_SERVICE_HOST is not set); name a kubeconfig with --kubeconfig',
    );
  }
  const read = async (name: string) => {
    try {
      return (await readFile(join(folder, name), 'utf8')).trim();
    } catch (cause) {
      throw new ConfigurationError(
        `cannot read the service account's ${name} in ${folder}; is automountServiceAccountToken off?`,
        cause,
      );
    }
  };
  return {
    server: new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`),
    source: 'the service account of this pod',
    credentials: remembered(clock, minutes(1), async () => {
      // One after the other, so that without either it is always the token that is said to be missing.
      const token = await read('token');
      const ca = await read('ca.crt');
      return { headers: { authorization: `Bearer ${token}` }, tls: { ca } };
    }),
  };
}
