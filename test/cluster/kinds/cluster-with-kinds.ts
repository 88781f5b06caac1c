import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Cluster, startCluster } from '../../../tools/control-plane/cluster.ts';

const root = join(import.meta.dirname, '../../..');

/** The manifests of a folder of the repository. */
export function manifests(folder: string): { readonly name: string; readonly content: string }[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => ({ name, content: readFileSync(join(root, folder, name), 'utf8') }));
}

const crdList = z.object({
  items: z.array(
    z.object({
      status: z
        .looseObject({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).nullish() })
        .optional(),
    }),
  ),
});

/** The condition types that hold, for each CRD of the cluster. */
export async function crdConditions(cluster: Cluster): Promise<readonly (readonly string[])[]> {
  const { body } = await cluster.request('GET', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions');
  return crdList
    .parse(body)
    .items.map(({ status }) =>
      (status?.conditions ?? []).filter((each) => each.status === 'True').map(({ type }) => type),
    );
}

/** An API server that knows Drover's kinds, and nothing else: no kind needs a controller to be stored and judged. */
export async function startClusterWithKinds(): Promise<Cluster> {
  const cluster = await startCluster({ nodes: 0, without: ['kube-controller-manager', 'kube-scheduler', 'kwok'] });
  try {
    for (const { content } of manifests('deploy/crds')) await cluster.apply(content);
    // Not `kubectl wait`, which fails on a CRD that is so new that it has no conditions yet.
    while ((await crdConditions(cluster)).some((conditions) => !conditions.includes('Established'))) await sleep(50);
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}
