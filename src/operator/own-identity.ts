/** Who the operator is in the cluster, for what it has run on its behalf. */
export interface OwnIdentity {
  readonly namespace: string;
  readonly serviceAccount: string;
  /** Its own image, whose entry point is `drover`. */
  readonly image: string;
}
