import type { NodeView } from '../node-view.ts';
import type { PodView } from '../pod-view.ts';
import type { Candidate } from './placement-view.ts';
import { type PodTerm, schedulingView } from './scheduling-view.ts';

/** Reasons by `interpodaffinity/filtering.go`. */
export const affinityReasons = {
  affinity: "node(s) didn't match pod affinity rules",
  antiAffinity: "node(s) didn't match pod anti-affinity rules",
  existing: "node(s) didn't satisfy existing pods anti-affinity rules",
} as const;

const selects = (term: PodTerm, pod: PodView) => term.namespaces.includes(pod.namespace) && term.matches(pod.labels);

const sameDomain = (key: string, a: NodeView, b: NodeView) =>
  a.labels[key] !== undefined && a.labels[key] === b.labels[key];

/** Whether every required affinity of the pod is met on the node. The first pod of a set that only asks for its own kind may go anywhere. */
export function meetsAffinity(pod: PodView, node: NodeView, all: readonly Candidate[]): boolean {
  const terms = schedulingView(pod.object).affinity;
  if (terms.length === 0) return true;
  if (terms.some((term) => node.labels[term.topologyKey] === undefined)) return false;
  const met = (term: PodTerm) =>
    all.some(
      (other) => sameDomain(term.topologyKey, other.node, node) && other.pods.some((each) => selects(term, each)),
    );
  if (terms.every(met)) return true;
  const isFirst = !all.some((other) => other.pods.some((each) => terms.every((term) => selects(term, each))));
  return isFirst && terms.every((term) => selects(term, pod));
}

export function meetsAntiAffinity(pod: PodView, node: NodeView, all: readonly Candidate[]): boolean {
  return schedulingView(pod.object).antiAffinity.every(
    (term) =>
      !all.some(
        (other) => sameDomain(term.topologyKey, other.node, node) && other.pods.some((each) => selects(term, each)),
      ),
  );
}

/** Whether no pod that is there already keeps this one away. */
export function meetsExistingAntiAffinity(pod: PodView, node: NodeView, all: readonly Candidate[]): boolean {
  return all.every((other) =>
    other.pods.every((each) =>
      schedulingView(each.object).antiAffinity.every(
        (term) => !(sameDomain(term.topologyKey, other.node, node) && selects(term, pod)),
      ),
    ),
  );
}
