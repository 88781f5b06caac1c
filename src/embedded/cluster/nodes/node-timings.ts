/** How soon a silent node is taken for dead; the same as on the real test control plane. */
export interface NodeTimings {
  /** How long a kubelet's lease holds; it is renewed four times in that time. */
  readonly leaseSeconds: number;
  /** After this long without a renewed lease the node's Ready condition becomes Unknown. */
  readonly graceSeconds: number;
  /** How often the node controller looks. */
  readonly monitorSeconds: number;
  /** How many dead nodes of a zone get their NoExecute taint in one second; the first gets it at once. */
  readonly nodesTaintedPerSecond: number;
}

/** As a normal cluster has it: a dead node is noticed after about 50 s. */
export const usualNodeTimings: NodeTimings = {
  leaseSeconds: 40,
  graceSeconds: 50,
  monitorSeconds: 5,
  nodesTaintedPerSecond: 0.1,
};

/** For tests: a dead node is noticed after about 5 s. */
export const quickNodeTimings: NodeTimings = {
  leaseSeconds: 4,
  graceSeconds: 4,
  monitorSeconds: 1,
  nodesTaintedPerSecond: 10,
};
