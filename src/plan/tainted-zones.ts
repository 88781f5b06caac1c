import type { AutomaticReplacement } from '../model/cluster-spec.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Survey } from '../rules/survey.ts';
import { TaintOptions } from './taint-options.ts';

/**
 * The brake for mass events: how many zones carry, right now, a taint that could make something be replaced, and how many may. A taint that
 * is ignored is no event. undefined: the brake is off, or not that many are tainted.
 */
export function taintBrake(survey: Survey): { readonly zones: number; readonly limit: number } | undefined {
  const { replacements } = survey.snapshot.spec;
  if (replacements.maxTaintedZones === null) return undefined;
  const options = new TaintOptions(replacements);
  const all = new Set<string>();
  const tainted = new Set<string>();
  for (const group of survey.snapshot.processGroups) {
    const zone = zoneOf(survey, group);
    if (zone === undefined) continue;
    all.add(zone);
    if (isTainted(survey, group, options)) tainted.add(zone);
  }
  const limit = zonesAllowed(replacements.maxTaintedZones, all.size);
  return tainted.size > limit ? { zones: tainted.size, limit } : undefined;
}

/** A percentage is rounded down, but never below 1, or a small cluster could not move at all. */
function zonesAllowed(limit: NonNullable<AutomaticReplacement['maxTaintedZones']>, zones: number): number {
  return 'count' in limit ? limit.count : Math.max(1, Math.floor((limit.percent * zones) / 100));
}

/** Where no zone is known, the node stands for it. */
function zoneOf({ nodes }: Survey, { zone, pod }: ProcessGroup): string | undefined {
  if (zone !== null) return zone;
  if (pod === null || pod.node === null) return undefined;
  return nodes?.get(pod.node)?.zone ?? pod.node;
}

function isTainted({ nodes }: Survey, { pod }: ProcessGroup, options: TaintOptions): boolean {
  const node = pod === null || pod.node === null ? undefined : nodes?.get(pod.node);
  if (node === undefined) return false;
  return options.matching(node).some(({ key }) => options.durationOf(key) !== 'never');
}
