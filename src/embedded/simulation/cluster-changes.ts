import type { StatefulClusterSpec, StatefulClusterSpecInput } from '../../api/v1alpha1/stateful-cluster.schema.ts';
import type { ProcessGroup } from '../../model/process-group.ts';
import type { Breakage, Change, Reshaping } from './happenings.ts';
import { pickOf } from './pick.ts';

/** The pod of every role, in its so many-th version. */
export const templateOf = (version: number) => ({
  spec: { containers: [{ name: 'database', image: `database:${version}` }] },
});

/** One that people got wrong, by the annotations that tell the embedded kubelet how a pod fails. */
const brokenTemplateOf = (version: number, how: Breakage) => ({
  metadata: { annotations: failing[how] },
  spec: { containers: [{ name: 'database', image: `database:${version}-broken` }] },
});
const failing: Readonly<Record<Breakage, Readonly<Record<string, string>>>> = {
  'crash-loop': { 'fake.drover.dev/fail': 'crash-loop' },
  'never-starts': { 'fake.drover.dev/start-after-seconds': 'never' },
  'never-ready': { 'fake.drover.dev/ready': 'false' },
};

/** The claim of every role that has one: on disks of the node, or on such as go where their pod goes. */
export const claimOf = (version: number, storageClassName: 'local' | 'network') => ({
  accessModes: ['ReadWriteOnce'],
  storageClassName,
  ...sized(version),
});

/** What of a claim its so many-th version changes. */
const sized = (version: number) => ({ resources: { requests: { storage: `${version}Gi` } } });

/** How few, and how many, of a role people ever want. */
export interface Bounds {
  readonly fewest: number;
  readonly most: number;
}

/** What of the spec somebody writes anew. */
export function changed(
  spec: StatefulClusterSpec,
  rows: readonly ProcessGroup[],
  wanted: Change,
  { fewest, most }: Bounds,
): Partial<StatefulClusterSpecInput> {
  const { roles, processGroupsToRemove, cancelReplacementsForInstance: cancelled } = spec;
  switch (wanted.kind) {
    case 'pod-template':
      return { roles: roles.map((role) => ({ ...role, template: templateOf(wanted.version) })) };
    case 'broken-template':
      return { roles: roles.map((role) => ({ ...role, template: brokenTemplateOf(wanted.version, wanted.how) })) };
    case 'claim-template':
      return {
        roles: roles.map((role) =>
          role.volumeClaimTemplate === undefined
            ? role
            : { ...role, volumeClaimTemplate: { ...role.volumeClaimTemplate, ...sized(wanted.version) } },
        ),
      };
    case 'reshape':
      return reshaped(spec, wanted.what, wanted.version);
    case 'count':
      return {
        roles: roles.map((role) =>
          role.name === wanted.role ? { ...role, count: between(fewest, role.count + wanted.by, most) } : role,
        ),
      };
    case 'remove': {
      const group = pickOf(
        rows.filter(({ removal }) => removal === null),
        wanted.pick,
      );
      if (group === undefined || cancelled.includes(group.id)) return {};
      return { processGroupsToRemove: [...new Set([...processGroupsToRemove, group.id])] };
    }
    case 'cancel': {
      const group = pickOf(
        rows.filter(({ removal, removingAt }) => removal !== null && removingAt === null),
        wanted.pick,
      );
      if (group === undefined) return {};
      return {
        cancelReplacementsForInstance: [...new Set([...cancelled, group.id])],
        processGroupsToRemove: processGroupsToRemove.filter((id) => id !== group.id),
      };
    }
    case 'no-place': {
      const group = wanted.pick === null ? undefined : pickOf(rows, wanted.pick);
      return { buggify: { noSchedule: group === undefined ? [] : [group.id] } };
    }
  }
}

/** Every node fits every selector and has room for every request: what is asked for can be had. */
function reshaped(spec: StatefulClusterSpec, what: Reshaping, version: number): Partial<StatefulClusterSpecInput> {
  const { roles } = spec;
  const template = templateOf(version);
  const { containers } = template.spec;
  switch (what) {
    case 'id-prefix':
      return { processGroupIDPrefix: `v${version}` };
    case 'public-ip':
      return { publicIPSource: spec.publicIPSource === 'Pod' ? 'Service' : 'Pod' };
    case 'processes':
      return {
        roles: roles.map((role) =>
          role.volumeClaimTemplate === undefined ? role : { ...role, processesPerPod: 3 - role.processesPerPod },
        ),
      };
    case 'node-selector': {
      const nodeSelector = { 'kubernetes.io/os': 'linux' };
      return { roles: roles.map((role) => ({ ...role, template: { spec: { containers, nodeSelector } } })) };
    }
    case 'resources': {
      const resources = { requests: { cpu: `${version}m` } };
      const asking = containers.map((container) => ({ ...container, resources }));
      return { roles: roles.map((role) => ({ ...role, template: { spec: { containers: asking } } })) };
    }
  }
}

const between = (least: number, value: number, most: number): number => Math.min(most, Math.max(least, value));
