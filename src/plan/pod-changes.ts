import type { RoleSpec } from '../model/cluster-spec.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { PodShape, Resources } from '../model/shape.ts';
import type { Survey } from '../rules/survey.ts';
import { neverRan } from '../rules/unlisted.ts';
import { roleOf, rulesOf } from './role-of.ts';

/** A process group as it is, and the shape that the spec asks for. */
interface Comparison {
  readonly group: ProcessGroup;
  /** What its pod was made from; null where there is no pod to compare. */
  readonly is: PodShape | null;
  readonly wanted: PodShape;
  readonly keepsId: boolean;
  readonly resourcesMatter: boolean;
}

/** The six changes that only a replacement can follow, as the messages call them. */
const triggers: readonly { readonly what: string; readonly changed: (comparison: Comparison) => boolean }[] = [
  { what: 'the process group id prefix', changed: prefixChanged },
  {
    what: 'the public IP source',
    changed: ({ is, wanted }) => is !== null && is.publicIPSource !== wanted.publicIPSource,
  },
  {
    what: 'the number of processes in a pod',
    changed: ({ is, wanted }) => is !== null && is.processesPerPod !== wanted.processesPerPod,
  },
  {
    what: 'the node selector',
    changed: ({ is, wanted }) => is !== null && !sameEntries(is.nodeSelector, wanted.nodeSelector),
  },
  { what: 'the volume claim', changed: claimChanged },
  {
    what: 'the resources, upwards,',
    changed: ({ is, wanted, resourcesMatter }) => resourcesMatter && is !== null && resourcesRose(is, wanted),
  },
];

/** What of the spec changed in a way that only a replacement of this process group can follow. Empty: nothing did. */
export function changesThatForceReplacement(survey: Survey, group: ProcessGroup): readonly string[] {
  const wanted = roleOf(survey, group)?.shape ?? null;
  if (wanted === null) return [];
  const comparison = {
    group,
    is: group.pod?.shape ?? null,
    wanted,
    // Its successor takes over the identity, so a replacement would not change the id.
    keepsId: rulesOf(survey, group)?.replacedAs === 'same-id-wiped',
    resourcesMatter: survey.snapshot.spec.replaceWhenResourcesRise,
  };
  return triggers.filter(({ changed }) => changed(comparison)).map(({ what }) => what);
}

/**
 * All that replaces this process group for its new spec: what forces it, and else what `podUpdateStrategy` rolls out by replacement, where there is
 * anything to replace: one that never ran is only made again.
 */
export function changesByReplacement(survey: Survey, group: ProcessGroup): readonly string[] {
  const forced = changesThatForceReplacement(survey, group);
  if (forced.length > 0) return forced;
  const isReplaced =
    isOutdated(survey, group) &&
    !isToBeMadeAgain(group) &&
    !neverRan({ group, processes: survey.engine.processesOf.get(group.id) ?? [] }) &&
    isRolledOutByReplacement(survey, group);
  return isReplaced ? ['the pod template'] : [];
}

/**
 * Whether the pod differs from the spec and is to be deleted and made again on its volume. Not where the process group is to be replaced for
 * it, also while that waits for its turn: the pod would be made twice.
 */
export function needsRecreation(survey: Survey, group: ProcessGroup): boolean {
  return isOutdated(survey, group) && changesByReplacement(survey, group).length === 0;
}

function isOutdated(survey: Survey, group: ProcessGroup): boolean {
  const wanted: RoleSpec['shape'] = roleOf(survey, group)?.shape ?? null;
  return wanted !== null && group.pod !== null && group.pod.shape.specHash !== wanted.specHash;
}

/** What it was made from is not known, or does not matter: people want this very one with another fault, or made again. A successor is no answer. */
const isToBeMadeAgain = ({ pod }: ProcessGroup): boolean => pod?.shape.specHash === '';

function isRolledOutByReplacement(survey: Survey, group: ProcessGroup): boolean {
  const rules = rulesOf(survey, group);
  if (rules === undefined || rules.replacedAs === 'none') return false;
  const { podUpdateStrategy } = survey.snapshot.spec;
  if (podUpdateStrategy === 'Replace') return true;
  return podUpdateStrategy === 'ReplaceTransactionSystem' && rules.transactionSystem;
}

/** The id tells the prefix also where there is no pod; an id of another form tells nothing. */
function prefixChanged({ group, is, wanted, keepsId }: Comparison): boolean {
  if (keepsId) return false;
  if (is !== null && is.idPrefix !== wanted.idPrefix) return true;
  const prefix = prefixOf(group);
  return prefix !== undefined && prefix !== wanted.idPrefix;
}

function prefixOf({ id, role }: ProcessGroup): string | undefined {
  const rest = id.replace(/-\d+$/, '');
  const kind = role.replaceAll('_', '-');
  if (rest === kind) return '';
  return rest.endsWith(`-${kind}`) ? rest.slice(0, -kind.length - 1) : undefined;
}

/** A claim that is missing is made as the spec has it now: there is nothing to replace. */
function claimChanged({ group: { claim }, is, wanted }: Comparison): boolean {
  if (claim === null) return false;
  if (claim === 'none') return (is?.claimSpecHash ?? '') !== wanted.claimSpecHash;
  return claim.specHash !== wanted.claimSpecHash;
}

/** A request that is not made is zero; a limit that is not set is none at all, so that taking one away is a rise. */
function resourcesRose(is: PodShape, wanted: PodShape): boolean {
  return isMore(is.requests, wanted.requests, 0) || isMore(is.limits, wanted.limits, Infinity);
}

function isMore(is: Resources, wanted: Resources, absent: number): boolean {
  const names = [...Object.keys(is), ...Object.keys(wanted)];
  return names.some((name) => (wanted[name] ?? absent) > (is[name] ?? absent));
}

function sameEntries(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key]);
}
