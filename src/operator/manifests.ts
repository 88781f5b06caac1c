import type { ValidatingWebhookConfiguration } from '../kube/resources.ts';
import { controllers } from './controllers.ts';
import { guardedNamespaceLabel } from './lock/guard-label.ts';
import { lockPolicies } from './lock/policies.ts';
import { names } from './names.ts';
import { operatorPermissions } from './permissions.ts';
import { mergePermissions } from './rbac.ts';

const labels = { 'app.kubernetes.io/name': 'drover' };
const rbac = 'rbac.authorization.k8s.io';

/** Who the operator is and what it may do: no more than its parts say that they need. */
export function rbacManifests(): readonly object[] {
  const { namespace, serviceAccount } = names;
  const permissions = mergePermissions([
    operatorPermissions,
    ...controllers.map((definition) => definition.permissions),
  ]);
  const subjects = [{ kind: 'ServiceAccount', name: serviceAccount, namespace }];
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name: serviceAccount, labels } },
    { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name: 'drover', labels }, rules: permissions.cluster },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'drover', labels },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'drover' },
      subjects,
    },
    {
      // Nobody's until a person binds it in a namespace: Secrets of others are none of Drover's business.
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRole',
      metadata: { name: names.secretsRole, labels },
      rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
    },
    { apiVersion: `${rbac}/v1`, kind: 'Role', metadata: { namespace, name: 'drover', labels }, rules: permissions.own },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata: { namespace, name: 'drover', labels },
      roleRef: { apiGroup: rbac, kind: 'Role', name: 'drover' },
      subjects,
    },
  ];
}

/** The user that the operator is. */
export const droverUser = `system:serviceaccount:${names.namespace}:${names.serviceAccount}`;

/** How the API server finds the webhook, and the rules about the lock that it keeps by itself. */
export function webhookManifests(): readonly object[] {
  const { namespace, webhookService, leaderLabel } = names;
  const apiVersion = 'admissionregistration.k8s.io/v1';
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { namespace, name: webhookService, labels },
      spec: { selector: { ...labels, [leaderLabel]: 'true' }, ports: [{ name: 'https', port: 443, targetPort: 9443 }] },
    },
    { apiVersion, kind: 'ValidatingWebhookConfiguration', ...webhookConfiguration() },
    ...lockPolicies(droverUser),
  ];
}

/** What the API server asks the webhook about. The lock is the safety, so a webhook that does not answer is ignored. */
export function webhookConfiguration(): ValidatingWebhookConfiguration {
  const { namespace, webhookService, webhookConfiguration: name } = names;
  return {
    metadata: { name, labels },
    webhooks: [
      {
        name: 'evict.drover.dev',
        admissionReviewVersions: ['v1'],
        sideEffects: 'NoneOnDryRun',
        failurePolicy: 'Ignore',
        timeoutSeconds: 3,
        clientConfig: { service: { namespace, name: webhookService, path: '/evict' } },
        namespaceSelector: { matchLabels: { [guardedNamespaceLabel]: 'true' } },
        matchConditions: [{ name: 'not-drover-itself', expression: `request.userInfo.username != '${droverUser}'` }],
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods/eviction'] }],
      },
    ],
  };
}
