import type { NodeView } from '../node-view.ts';
import { isDeleting, type PodView } from '../pod-view.ts';
import type { Candidate } from './placement-view.ts';
import { type SpreadConstraint, schedulingView } from './scheduling-view.ts';

/** Reasons by `podtopologyspread/plugin.go`. */
export const spreadReasons = {
  missingLabel: "node(s) didn't match pod topology spread constraints (missing required label)",
  skew: "node(s) didn't match pod topology spread constraints",
} as const;

/** What speaks against the node by the constraints that must hold, or undefined. `eligible`: nodes that the pod's selectors allow. */
export function spreadFault(
  pod: PodView,
  node: NodeView,
  all: readonly Candidate[],
  eligible: (node: NodeView) => boolean,
): (typeof spreadReasons)[keyof typeof spreadReasons] | undefined {
  const constraints = schedulingView(pod.object).spread;
  if (constraints.some(({ topologyKey }) => node.labels[topologyKey] === undefined)) return spreadReasons.missingLabel;
  const counted = all.filter((each) => eligible(each.node));
  const isSkewed = constraints.some((constraint) => skewOn(constraint, pod, node, counted) > constraint.maxSkew);
  return isSkewed ? spreadReasons.skew : undefined;
}

/** How many pods are where this one should rather not be too, by the constraints that are only wishes. */
export function companyOf(pod: PodView, all: readonly Candidate[]): (node: NodeView) => number {
  const wishes = schedulingView(pod.object).wishedSpread.map((constraint) => ({
    key: constraint.topologyKey,
    domains: countedByDomain(constraint, pod, all),
  }));
  return ({ labels }) => wishes.reduce((sum, { key, domains }) => sum + (domains.get(labels[key] ?? '') ?? 0), 0);
}

function skewOn(constraint: SpreadConstraint, pod: PodView, node: NodeView, counted: readonly Candidate[]): number {
  const { topologyKey, matches, minDomains } = constraint;
  const domains = countedByDomain(constraint, pod, counted);
  const least = domains.size < minDomains ? 0 : Math.min(...domains.values());
  const self = matches(pod.labels) ? 1 : 0;
  return (domains.get(node.labels[topologyKey] ?? '') ?? 0) + self - (Number.isFinite(least) ? least : 0);
}

function countedByDomain(
  { topologyKey, matches }: SpreadConstraint,
  pod: PodView,
  counted: readonly Candidate[],
): ReadonlyMap<string, number> {
  const domains = new Map<string, number>();
  for (const candidate of counted) {
    const domain = candidate.node.labels[topologyKey];
    if (domain === undefined) continue;
    // Pods that are on their way out do not count: their place is free as soon as it matters.
    const here = candidate.pods.filter(
      (each) => each.namespace === pod.namespace && !isDeleting(each) && matches(each.labels),
    );
    domains.set(domain, (domains.get(domain) ?? 0) + here.length);
  }
  return domains;
}
