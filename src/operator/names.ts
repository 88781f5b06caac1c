/** The names under which an installation of Drover is known to the cluster. Manifests and the operator must agree on them. */
export const names = {
  namespace: 'drover',
  serviceAccount: 'drover',
  image: 'drover',
  lease: 'drover',
  leaderLabel: 'drover.dev/leader',
  certificateSecret: 'drover-webhook',
  webhookService: 'drover-webhook',
  webhookConfiguration: 'drover',
  /** Only there while somebody else's budget selects guarded pods. */
  foreignConfiguration: 'drover-foreign',
  /** Bound by people, in the namespaces where specs name Secrets. */
  secretsRole: 'drover-secrets',
} as const;
