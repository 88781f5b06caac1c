/** Amounts of resources, in base units: cores, bytes, pieces. */
export type Resources = Readonly<Record<string, number>>;

/** What of a pod's specification decides whether, and how, it has to be changed. */
export interface PodShape {
  readonly idPrefix: string;
  readonly publicIPSource: 'Pod' | 'Service';
  readonly processesPerPod: number;
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** Empty where the role has no claim. */
  readonly claimSpecHash: string;
  readonly requests: Resources;
  readonly limits: Resources;
  /** Of the whole pod specification. Empty: of a pod that has to be made again, whatever the specification is. */
  readonly specHash: string;
}
