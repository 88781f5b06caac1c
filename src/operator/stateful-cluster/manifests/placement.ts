import type { Toleration } from '../../../kube/resources.ts';
import { rulesFor } from '../../../rules/role-table.ts';
import type { Cluster } from '../cluster.ts';
import { groupLabels } from '../marks.ts';
import type { PodTemplate, Role, TemplateAffinity } from '../pod-template.ts';

/** Taints that Kubernetes puts on a node which does not answer, and that drive pods away after a while. */
const deadNodeTaints = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'] as const;

/** The template's tolerations, and the role's own for dead nodes where the template says nothing of these. */
export function tolerationsFor(cluster: Cluster, role: Role, { spec }: PodTemplate): readonly Toleration[] {
  const given = spec.tolerations ?? [];
  const time = rulesFor(cluster.spec.engine.type, role.name)?.tolerationSeconds;
  if (time === undefined) return given;
  const covered = (taint: string): boolean => given.some((toleration) => covers(toleration, taint));
  const ours = deadNodeTaints
    .filter((taint) => !covered(taint))
    .map(
      (key): Toleration => ({
        key,
        operator: 'Exists',
        effect: 'NoExecute',
        ...(time !== 'forever' && { tolerationSeconds: time }),
      }),
    );
  return [...given, ...ours];
}

/** As the API server asks before it adds its own 300 s. */
function covers({ key = '', effect = '' }: Toleration, taint: string): boolean {
  return (key === taint || key === '') && (effect === 'NoExecute' || effect === '');
}

/** Where the pods of a role should rather not be together. Only a wish: a zone that is full, or the only one, must not keep a pod from starting. */
export function spreadFor(cluster: Cluster, role: Role, { spec }: PodTemplate): readonly object[] | undefined {
  // Whoever thought about where pods go has thought about this.
  if (spec.affinity !== undefined || spec.topologySpreadConstraints !== undefined) return undefined;
  const matchLabels = { [groupLabels.cluster]: cluster.name, [groupLabels.role]: role.name };
  const topologyKey = cluster.spec.faultDomain.key;
  return [{ maxSkew: 1, topologyKey, whenUnsatisfiable: 'ScheduleAnyway', labelSelector: { matchLabels } }];
}

const required = 'requiredDuringSchedulingIgnoredDuringExecution';

/** A label that no node has. */
const nowhere = { key: 'drover.dev/no-schedule', operator: 'In', values: ['true'] };

/** The template's affinity, so that no node fits. Terms are alternatives, so that each of them must be made impossible. */
export function affinityToNothing(affinity: TemplateAffinity = {}): TemplateAffinity {
  const { nodeAffinity } = affinity;
  const terms = nodeAffinity?.[required]?.nodeSelectorTerms ?? [{}];
  const nodeSelectorTerms = (terms.length === 0 ? [{}] : terms).map((term) => ({
    ...term,
    matchExpressions: [...(term.matchExpressions ?? []), nowhere],
  }));
  return {
    ...affinity,
    nodeAffinity: { ...nodeAffinity, [required]: { ...nodeAffinity?.[required], nodeSelectorTerms } },
  };
}
