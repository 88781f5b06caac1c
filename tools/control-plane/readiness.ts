import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { requestApi } from './api-request.ts';
import { ControlPlaneError } from './errors.ts';
import type { Access } from './kubeconfig.ts';

/** Something to wait for. */
export interface Wait {
  /** Completes "gave up waiting for ...". */
  readonly what: string;
  /** True when it is there. A rejection counts as "not yet"; it is told when the wait is given up. */
  readonly check: (signal: AbortSignal) => Promise<boolean>;
  readonly seconds: number;
  readonly signal?: AbortSignal | undefined;
}

/** Asks again every 50 ms until the check holds; rejects with what was waited for. */
export async function waitUntil({ what, check, seconds, signal }: Wait): Promise<void> {
  const deadline = AbortSignal.timeout(seconds * 1000);
  const either = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
  let last: unknown;
  while (!either.aborted) {
    try {
      if (await check(either)) return;
    } catch (error) {
      // The caller may know better than to go on asking.
      if (error instanceof ControlPlaneError) throw error;
      last = error;
    }
    await sleep(50, undefined, { signal: either }).catch(() => undefined);
  }
  signal?.throwIfAborted();
  throw new ControlPlaneError('NotReady', `gave up waiting for ${what} after ${seconds} s${because(last)}`, {
    cause: last,
  });
}

/** Whether the API server has finished all that it does at its start, and reaches etcd. */
export async function isApiReady(access: Access, signal: AbortSignal): Promise<boolean> {
  // What /readyz says of etcd may be a second old; one object is always read from there.
  return (await answers(access, '/readyz', signal)) && (await answers(access, '/api/v1/namespaces/default', signal));
}

/** Whether pods in the namespace "default" would find their service account. */
export function hasDefaultServiceAccount(access: Access, signal: AbortSignal): Promise<boolean> {
  return answers(access, '/api/v1/namespaces/default/serviceaccounts/default', signal);
}

const nodeListSchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      spec: z.object({ taints: z.array(z.object({ key: z.string() })).optional() }),
      status: z.object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).optional() }),
    }),
  ),
});

/** Whether these nodes are Ready and, where a controller manager looks after taints, open for pods. */
export async function areNodesReady(
  access: Access,
  names: readonly string[],
  taintsMatter: boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const { body } = await requestApi(access, 'GET', '/api/v1/nodes', { signal });
  const ready = new Set(
    nodeListSchema
      .parse(body)
      .items.filter((node) => node.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True'))
      .filter((node) => !taintsMatter || !node.spec.taints?.some(({ key }) => key === 'node.kubernetes.io/not-ready'))
      .map((node) => node.metadata.name),
  );
  return names.every((name) => ready.has(name));
}

async function answers(access: Access, path: string, signal: AbortSignal): Promise<boolean> {
  return (await requestApi(access, 'GET', path, { signal })).status === 200;
}

function because(error: unknown): string {
  return error instanceof Error ? ` (${error.message})` : '';
}
