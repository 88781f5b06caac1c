import { thousandths } from '../../api/quantity.ts';
import type { PodShape, Resources } from '../../model/shape.ts';
import type { Cluster } from './cluster.ts';
import type { PodTemplate, Role } from './pod-template.ts';
import { templateOf } from './pod-template.ts';
import { claimSpecHash, hashOf, podSpecHash } from './spec-hash.ts';

/** A pod carries its shape in an annotation, so it must stay small whatever a template holds. */
const longestNodeSelector = 4096;
const mostResources = 32;

/**
 * What a pod of this role should look like, as far as it decides whether a pod has to be changed. Throws `InvalidObjectError` where the
 * template is no PodTemplateSpec.
 */
export function shapeOf(cluster: Cluster, role: Role): PodShape {
  const { spec } = templateOf(cluster, role);
  return {
    idPrefix: cluster.spec.processGroupIDPrefix,
    publicIPSource: cluster.spec.publicIPSource,
    processesPerPod: role.processesPerPod,
    nodeSelector: bounded(spec.nodeSelector ?? {}),
    claimSpecHash: claimSpecHash(role),
    ...resourcesOf(spec),
    specHash: podSpecHash(cluster, role),
  };
}

/** A huge selector is told apart by its hash. */
export function bounded(nodeSelector: Readonly<Record<string, string>>): PodShape['nodeSelector'] {
  const isSmall = JSON.stringify(nodeSelector).length <= longestNodeSelector;
  return isSmall ? nodeSelector : { 'drover.dev/sha256': hashOf(nodeSelector) };
}

type Containers = Pick<PodTemplate['spec'], 'containers' | 'initContainers'>;

/**
 * What a pod asks for and may use, over all containers that run at the same time. A limit is one of the pod only where every container has
 * it: beside a container without a limit, the others' limits hold nothing back. What is no quantity counts as absent.
 */
export function resourcesOf({ containers, initContainers = [] }: Containers): Pick<PodShape, 'requests' | 'limits'> {
  const running = [...containers, ...initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always')];
  const limits = running.map(({ resources }) => resources?.limits ?? {});
  const everywhere = (name: string): boolean => limits.every((one) => one[name] !== undefined);
  return {
    requests: sum(
      running.map(({ resources }) => resources?.requests ?? {}),
      () => true,
    ),
    limits: sum(limits, everywhere),
  };
}

type Quantities = Readonly<Record<string, string | number>>;

function sum(parts: readonly Quantities[], counts: (name: string) => boolean): Resources {
  const sums = new Map<string, bigint>();
  for (const [name, quantity] of parts.flatMap(Object.entries<string | number>)) {
    const amount = thousandths(quantity);
    if (amount !== undefined && counts(name)) sums.set(name, (sums.get(name) ?? 0n) + amount);
  }
  const sorted = [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).slice(0, mostResources);
  return Object.fromEntries(sorted.map(([name, amount]) => [name, Number(amount) / 1000]));
}
