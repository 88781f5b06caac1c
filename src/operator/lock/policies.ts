import { forceAnnotation, guardLabel, open } from './guard-label.ts';

const labels = { 'app.kubernetes.io/name': 'drover' };
const apiVersion = 'admissionregistration.k8s.io/v1';

/** The policy that `guardDeletes` binds to the pods of a guard. */
export const deletePolicy = 'drover-guard-deletes';
const labelPolicy = 'drover-guard-label';

const value = (object: string, field: 'labels' | 'annotations', key: string): string =>
  `${object}.metadata.?${field}['${key}'].orValue('')`;
/** There is no old object when one is made. */
const was = (field: 'labels' | 'annotations', key: string): string =>
  `(oldObject == null ? '' : ${value('oldObject', field, key)})`;

/**
 * What keeps everyone but Drover from opening the lock, and who may force a pod; and what refuses a plain DELETE of a guarded pod where a guard binds
 * it. The API server sees to both by itself, also while Drover is down.
 */
export function lockPolicies(drover: string): readonly object[] {
  return [
    policy(labelPolicy, {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['pods'] },
          { apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['pods/status'] },
        ],
      },
      matchConditions: [{ name: 'opens-or-forces', expression: `${opens} || ${forces}` }],
      validations: [
        {
          expression: `(!(${opens}) || request.userInfo.username == '${drover}' || ${mayOverride}) && (!(${forces}) || ${mayOverride})`,
          reason: 'Forbidden',
          message: `only Drover sets the label ${guardLabel}=${open}, and only those who may override guards.drover.dev force a pod by the annotation ${forceAnnotation}`,
        },
      ],
    }),
    binding(labelPolicy),
    policy(deletePolicy, {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['pods'] }],
      },
      matchConditions: [
        // Kubelets finish what was begun, and what has ended or never had a place holds nothing.
        { name: 'first-delete', expression: '!has(oldObject.metadata.deletionTimestamp)' },
        {
          name: 'alive',
          expression: "!has(oldObject.status.phase) || !(oldObject.status.phase in ['Failed', 'Succeeded'])",
        },
        { name: 'placed', expression: 'has(oldObject.spec.nodeName)' },
        { name: 'closed', expression: `${value('oldObject', 'labels', guardLabel)} != '${open}'` },
        {
          name: 'not-exempt',
          expression: `!(request.userInfo.username in ${JSON.stringify(exempt(drover)).replaceAll('"', "'")})`,
        },
      ],
      validations: [
        {
          expression: 'false',
          reason: 'Forbidden',
          messageExpression: `'drover: pod ' + oldObject.metadata.namespace + '/' + oldObject.metadata.name + ' on ' + oldObject.spec.nodeName + ' is guarded; evict it instead (kubectl drain, or drover drain), which says what it waits for'`,
        },
      ],
    }),
  ];
}

const opens = `(${value('object', 'labels', guardLabel)} == '${open}' && ${was('labels', guardLabel)} != '${open}')`;
const forces = `(${value('object', 'annotations', forceAnnotation)} != '' && ${value('object', 'annotations', forceAnnotation)} != ${was('annotations', forceAnnotation)})`;
const mayOverride = `authorizer.group('drover.dev').resource('guards').namespace(request.namespace).check('override').allowed()`;

/** Without these a namespace, a StatefulSet or a node that is gone would hang on its pods for ever. */
const exempt = (drover: string): readonly string[] => [
  drover,
  'system:serviceaccount:kube-system:namespace-controller',
  'system:serviceaccount:kube-system:generic-garbage-collector',
  'system:serviceaccount:kube-system:pod-garbage-collector',
];

const policy = (name: string, spec: object): object => ({
  apiVersion,
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name, labels },
  spec,
});

const binding = (name: string): object => ({
  apiVersion,
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name, labels },
  spec: { policyName: name, validationActions: ['Deny', 'Audit'] },
});
