import type { KeyText } from '../../kube/object.ts';
import { keyText } from '../../kube/object.ts';
import type { ValidatingWebhook, WebhookClientConfig } from '../../kube/resources.ts';
import type { LockOwner } from './lock-owner.ts';
import { shortKinds } from './lock-owner.ts';

/** Where the API server asks about pods that no lock of Drover's is on. */
export const coverPath = '/evict-foreign';

/** Whose pods are covered. */
export type Covered = Pick<LockOwner, 'kind' | 'namespace' | 'name'>;

const domain = 'foreign.drover.dev';

/** The name of the webhook that covers the pods of an owner. No two owners have the same: a namespace has no dots. */
export const coverName = ({ kind, namespace, name }: Covered): string =>
  `${name}.${namespace}.${shortKinds[kind]}.${domain}`;

/** Whether a webhook of that name covers pods, whoever owns them. */
export const isCoverName = (webhook: string): boolean => webhook.endsWith(`.${domain}`);

/** Whose pods a webhook of that name covers; undefined: it is not of that kind. */
export function coveredBy(webhook: string, kind: LockOwner['kind']): KeyText | undefined {
  const end = `.${shortKinds[kind]}.${domain}`;
  if (!webhook.endsWith(end)) return undefined;
  const owner = webhook.slice(0, -end.length);
  const dot = owner.lastIndexOf('.');
  return dot < 1 ? undefined : keyText({ namespace: owner.slice(dot + 1), name: owner.slice(0, dot) });
}

const podsCondition = 'these-pods';

/**
 * What refuses to evict these pods while nobody answers: neither labels nor owners of a pod can be seen in its eviction, so that they are matched by
 * their names. `user` is Drover's own, who may always evict.
 */
export function covering(
  owner: Covered,
  pods: readonly string[],
  user: string,
  clientConfig: WebhookClientConfig,
): ValidatingWebhook {
  const named = pods.toSorted().map((pod) => `'${pod}'`);
  return {
    name: coverName(owner),
    admissionReviewVersions: ['v1'],
    sideEffects: 'NoneOnDryRun',
    failurePolicy: 'Fail',
    timeoutSeconds: 3,
    clientConfig,
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': owner.namespace } },
    matchConditions: [
      { name: 'not-drover-itself', expression: `request.userInfo.username != '${user}'` },
      { name: podsCondition, expression: `request.name in [${named.join(', ')}]` },
    ],
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods/eviction'] }],
  };
}

/** The pods that a webhook covers. */
export function podsUnder({ matchConditions = [] }: ValidatingWebhook): readonly string[] {
  const expression = matchConditions.find(({ name }) => name === podsCondition)?.expression ?? '';
  return [...expression.matchAll(/'([^']*)'/g)].map(([, pod = '']) => pod);
}

/** Asked at the same server as the voice, and at a path of its own: what is not known is let through there and held here. */
export function coverConfig({ url, service, caBundle }: WebhookClientConfig): WebhookClientConfig {
  return {
    ...(url !== undefined && { url: new URL(coverPath, url).href }),
    ...(service !== undefined && { service: { ...service, path: coverPath } }),
    ...(caBundle !== undefined && { caBundle }),
  };
}
