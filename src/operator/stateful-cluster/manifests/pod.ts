import type { Container, Pod, PodSpec, PodVolume } from '../../../kube/resources.ts';
import type { ProcessGroupId } from '../../../model/ids.ts';
import type { Cluster } from '../cluster.ts';
import type { PodFault } from '../faults.ts';
import { faultsOf, faultsText } from '../faults.ts';
import { labelsOf, madeFrom, objectNames, ownerReferenceTo, reservedPrefix } from '../marks.ts';
import { shapeOf } from '../pod-shape.ts';
import type { PodTemplate, Role, TemplateContainer } from '../pod-template.ts';
import { templateOf } from '../pod-template.ts';
import type { EngineNeeds } from './engine-needs.ts';
import type { Variable } from './environment.ts';
import { droverEnvironment } from './environment.ts';
import { needsOfEngine } from './needs-of-engine.ts';
import { affinityToNothing, spreadFor, tolerationsFor } from './placement.ts';

/** The volume that holds a process group's claim. */
const dataVolume = 'data';

/**
 * The pod of a process group: the role's template, with Drover's labels, environment, tolerations and volumes in it. Drover's own words win
 * for its labels, its annotations, its variables and the volume of its claim; everything else is as the template has it.
 *
 * `publicIP` is the address of its Service, for a cluster whose `publicIPSource` is Service: make the pod once that is known.
 * Throws `InvalidObjectError` where the template is no PodTemplateSpec.
 */
export function podFor(cluster: Cluster, role: Role, group: ProcessGroupId, publicIP: string | null = null): Pod {
  const template = templateOf(cluster, role);
  const faults = faultsOf(cluster, group);
  const shape = shapeOf(cluster, role);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...template.metadata,
      namespace: cluster.namespace,
      name: objectNames.pod(cluster.name, group),
      labels: { ...notReserved(template.metadata.labels), ...labelsOf(cluster, role.name, group) },
      annotations: {
        ...notReserved(template.metadata.annotations),
        [madeFrom.specHash]: shape.specHash,
        [madeFrom.shape]: JSON.stringify(shape),
        ...(faults.length > 0 && { [madeFrom.faults]: faultsText(faults) }),
        ...(publicIP !== null && { [madeFrom.publicIP]: publicIP }),
      },
      ownerReferences: [ownerReferenceTo(cluster)],
    },
    spec: specFor({ cluster, role, group, template, faults }),
  };
}

interface Making {
  readonly cluster: Cluster;
  readonly role: Role;
  readonly group: ProcessGroupId;
  readonly template: PodTemplate;
  readonly faults: readonly PodFault[];
}

function specFor({ cluster, role, group, template, faults }: Making): PodSpec {
  const { containers, initContainers, affinity, ...rest } = template.spec;
  const needs = needsOfEngine(cluster, role, group);
  const environment = [...droverEnvironment(cluster, role, group, faults), ...needs.environment];
  const claimName = role.volumeClaimTemplate === undefined ? null : objectNames.claim(cluster.name, group);
  const equipped = (container: TemplateContainer) => withMounts(withEnvironment(container, environment), needs);
  const [first, ...others] = containers.map(equipped);
  const spread = spreadFor(cluster, role, template);
  const volumes = volumesFor(template, needs, claimName);
  const tolerations = tolerationsFor(cluster, role, template);
  const wished = faults.includes('no-schedule') ? affinityToNothing(affinity) : affinity;
  return {
    ...rest,
    containers: first === undefined ? [] : [firstContainer(first, needs, { template, claimName, faults }), ...others],
    ...(initContainers !== undefined && { initContainers: initContainers.map(equipped) }),
    ...(volumes.length > 0 && { volumes }),
    ...(tolerations.length > 0 && { tolerations }),
    ...(wished !== undefined && { affinity: wished }),
    ...(spread !== undefined && { topologySpreadConstraints: spread }),
  };
}

/** Ours come first, so that a template's variables can refer to them. */
function withEnvironment(container: TemplateContainer, ours: readonly Variable[]): TemplateContainer {
  const names = new Set(ours.map(({ name }) => name));
  return { ...container, env: [...ours, ...(container.env ?? []).filter(({ name }) => !names.has(name))] };
}

function withMounts(container: TemplateContainer, { mounts }: EngineNeeds): TemplateContainer {
  if (mounts.length === 0) return container;
  const names = new Set(mounts.map(({ name }) => name));
  const theirs = (container.volumeMounts ?? []).filter(({ name }) => !names.has(name));
  return { ...container, volumeMounts: [...theirs, ...mounts] };
}

/** The one that runs the engine: it gets the data, and says what to run where the template does not. */
function firstContainer(
  container: TemplateContainer,
  needs: EngineNeeds,
  { template, claimName, faults }: Pick<Making, 'template' | 'faults'> & { readonly claimName: string | null },
): Container {
  const mounted = container.volumeMounts?.find(({ name }) => name === dataVolume);
  const mountsItself = template.spec.containers.some(({ volumeMounts = [] }) =>
    volumeMounts.some(({ name }) => name === dataVolume),
  );
  const data = { name: dataVolume, mountPath: needs.dataPath };
  const mounts = claimName === null || mountsItself ? [] : [data];
  const volumeMounts = [...(container.volumeMounts ?? []), ...mounts];
  const silent = container.command === undefined && container.args === undefined;
  const args = silent ? needs.args?.(mounted?.mountPath ?? needs.dataPath) : undefined;
  return {
    ...container,
    ...(volumeMounts.length > 0 && { volumeMounts }),
    ...(args !== undefined && { args }),
    // A program that no image has: the container cannot start, again and again.
    ...(faults.includes('crash-loop') && { command: ['crash-loop'], args: ['crash-loop'] }),
  };
}

/** No volume on the node's own disk is added for a role without a claim: `kubectl drain` would refuse to touch the pod. */
function volumesFor({ spec }: PodTemplate, needs: EngineNeeds, claimName: string | null): readonly PodVolume[] {
  const claim = claimName === null ? [] : [{ name: dataVolume, persistentVolumeClaim: { claimName } }];
  const ours = [...claim, ...needs.volumes];
  const names = new Set(ours.map(({ name }) => name));
  return [...(spec.volumes ?? []).filter(({ name }) => !names.has(name)), ...ours];
}

function notReserved(entries: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(entries).filter(([key]) => !key.startsWith(reservedPrefix)));
}
