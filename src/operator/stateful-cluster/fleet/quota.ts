import { thousandths } from '../../../api/quantity.ts';
import type { KeyText, KubeObject } from '../../../kube/object.ts';
import { keyText } from '../../../kube/object.ts';
import type { Resource } from '../../../kube/resource.ts';
import type { Pool } from '../../../model/fleet.ts';
import type { Resources } from '../../../model/shape.ts';

type Quantities = Readonly<Record<string, string>>;

/** What is read of a ResourceQuota. */
export interface Quota extends KubeObject {
  readonly spec?: { readonly hard?: Quantities; readonly scopes?: readonly string[]; readonly scopeSelector?: object };
  readonly status?: { readonly used?: Quantities };
}

export const quotas: Resource<Quota> = {
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  namespaced: true,
};

/** A quota as it is kept. */
export interface QuotaView {
  readonly key: KeyText;
  readonly namespace: string;
  readonly version: string;
  /** It holds for some pods only, and which ones is not looked into: it is left to the API server. */
  readonly scoped: boolean;
  readonly pool: Pool;
}

/** A quota, as the room that clusters share. What the quota controller has not counted yet is taken for used up. */
export function quotaView({ metadata, spec = {}, status = {} }: Quota): QuotaView {
  const { hard = {}, scopes = [], scopeSelector } = spec;
  const key = keyText(metadata);
  const names = Object.keys(hard).sort();
  const amounts = (of: (name: string) => bigint): Resources =>
    Object.fromEntries(names.map((name) => [name, Number(of(name)) / 1000]));
  const limit = (name: string): bigint => thousandths(hard[name] ?? '') ?? 0n;
  const used = (name: string): bigint => thousandths(status.used?.[name] ?? '') ?? limit(name);
  return {
    key,
    namespace: metadata.namespace ?? '',
    version: metadata.resourceVersion ?? '',
    scoped: scopes.length > 0 || scopeSelector !== undefined,
    pool: {
      name: key,
      capacity: amounts(limit),
      free: amounts((name) => limit(name) - used(name)),
      message: `exceeded quota: ${metadata.name}, limited: ${names.map((name) => `${name}=${hard[name]}`).join(',')}`,
    },
  };
}
