import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../kube/clock.ts';
import type { Connection } from '../kube/connection.ts';
import { inClusterConnection } from '../kube/in-cluster.ts';
import { kubeconfigConnection } from '../kube/kubeconfig.ts';

/** How a command finds its API server: --kubeconfig, then KUBECONFIG, then the cluster that it runs in, then ~/.kube/config. */
export function connect(
  options: { readonly kubeconfig?: string | undefined; readonly context?: string | undefined },
  clock: Clock,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Connection> {
  const file = options.kubeconfig ?? (env['KUBECONFIG'] === '' ? undefined : env['KUBECONFIG']);
  if (file !== undefined) return kubeconfigConnection(file, clock, options.context);
  if (env['KUBERNETES_SERVICE_HOST'] !== undefined) return Promise.resolve(inClusterConnection(clock, env));
  return kubeconfigConnection(join(homedir(), '.kube', 'config'), clock, options.context);
}
