import type { KubeObject } from '../../kube/object.ts';
import type { Resource } from '../../kube/resource.ts';
import type { LabelSelector } from '../../kube/resources.ts';
import { deletePolicy } from '../lock/policies.ts';
import { roleInNames } from '../lock/role-in-names.ts';
import type { Guard } from './guard.ts';
import { lockedRoles } from './guard.ts';

/** What binds a policy of the API server to some objects, as far as it is read or written. */
export interface PolicyBinding extends KubeObject {
  readonly spec?: {
    readonly policyName: string;
    readonly validationActions: readonly string[];
    readonly matchResources?: {
      readonly namespaceSelector?: LabelSelector;
      readonly objectSelector?: LabelSelector;
      readonly [more: string]: unknown;
    };
  };
}

export const policyBindings: Resource<PolicyBinding> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
  namespaced: false,
};

/** By this label the bindings of a guard are found: its uid, because they are in no namespace and its name is not unique. */
export const guardLabel = 'drover.dev/guard-uid';

/**
 * What refuses a plain DELETE of the pods of a guard: one binding for each locked role, to the policy that Drover is installed with. Empty where the
 * guard does not ask for it.
 */
export function deleteBindings(guard: Pick<Guard, 'namespace' | 'name' | 'uid' | 'spec'>): readonly PolicyBinding[] {
  const { namespace, name, uid, spec } = guard;
  if (!spec.guardDeletes) return [];
  return lockedRoles(guard).map(({ role, selector }) => ({
    metadata: {
      name: `drover-guard-deletes-${uid}-${roleInNames(role)}`,
      labels: { 'app.kubernetes.io/name': 'drover', [guardLabel]: uid },
      annotations: { 'drover.dev/guard-of': `${namespace}/${name}` },
    },
    spec: {
      policyName: deletePolicy,
      validationActions: ['Deny', 'Audit'],
      matchResources: {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        objectSelector: selector,
      },
    },
  }));
}
