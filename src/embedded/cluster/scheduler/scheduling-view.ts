import {
  at,
  isString,
  type JsonObject,
  type JsonValue,
  listAt,
  numberAt,
  objectAt,
  textAt,
} from '../../api-server/json.ts';
import { type LabelMatch, matchLabelSelector } from '../../api-server/label-selector.ts';
import { amountsOf } from '../node-view.ts';
import { rememberedView } from '../remembered-view.ts';
import { textsAt } from '../texts.ts';

/** One term of required affinity or anti-affinity between pods. */
export interface PodTerm {
  readonly topologyKey: string;
  readonly namespaces: readonly string[];
  readonly matches: LabelMatch;
}

/** One constraint of topology spread. */
export interface SpreadConstraint {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  readonly matches: LabelMatch;
}

/** What of a pod only the scheduler reads. */
export interface SchedulingView {
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** Undefined: any node. */
  readonly nodeTerms: readonly JsonValue[] | undefined;
  readonly affinity: readonly PodTerm[];
  readonly antiAffinity: readonly PodTerm[];
  /** What must hold. */
  readonly spread: readonly SpreadConstraint[];
  /** What should rather hold. */
  readonly wishedSpread: readonly SpreadConstraint[];
  /** In thousandths, with one pod of `pods`. */
  readonly requests: ReadonlyMap<string, number>;
  readonly isGated: boolean;
  readonly schedulerName: string;
}

export const schedulingView = rememberedView((pod: JsonObject): SchedulingView => {
  const namespace = textAt(pod, 'metadata', 'namespace');
  const required = at(pod, 'spec', 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution');
  const terms = (kind: string) =>
    listAt(pod, 'spec', 'affinity', kind, 'requiredDuringSchedulingIgnoredDuringExecution').map((term) =>
      podTerm(term, namespace),
    );
  const spreads = listAt(pod, 'spec', 'topologySpreadConstraints');
  return {
    nodeSelector: textsAt(pod, 'spec', 'nodeSelector'),
    nodeTerms: required === undefined ? undefined : listAt(required, 'nodeSelectorTerms'),
    affinity: terms('podAffinity'),
    antiAffinity: terms('podAntiAffinity'),
    spread: spreads.filter((each) => !isWish(each)).map(spreadConstraint),
    wishedSpread: spreads.filter(isWish).map(spreadConstraint),
    requests: requestsOf(pod),
    isGated: listAt(pod, 'spec', 'schedulingGates').length > 0,
    schedulerName: textAt(pod, 'spec', 'schedulerName'),
  };
});

function podTerm(term: JsonValue, namespace: string): PodTerm {
  const named = listAt(term, 'namespaces').filter(isString);
  return {
    topologyKey: textAt(term, 'topologyKey'),
    namespaces: named.length > 0 ? named : [namespace],
    matches: matchLabelSelector(at(term, 'labelSelector')),
  };
}

const isWish = (constraint: JsonValue): boolean => textAt(constraint, 'whenUnsatisfiable') === 'ScheduleAnyway';

function spreadConstraint(constraint: JsonValue): SpreadConstraint {
  return {
    topologyKey: textAt(constraint, 'topologyKey'),
    maxSkew: numberAt(constraint, 'maxSkew') ?? 1,
    minDomains: numberAt(constraint, 'minDomains') ?? 1,
    matches: matchLabelSelector(at(constraint, 'labelSelector')),
  };
}

/** The sum of the containers, or the largest init container where that asks for more. */
function requestsOf(pod: JsonObject): ReadonlyMap<string, number> {
  const total = new Map<string, number>([['pods', 1000]]);
  const asked = (container: JsonValue) => amountsOf(objectAt(container, 'resources', 'requests'));
  for (const container of listAt(pod, 'spec', 'containers')) {
    for (const [name, amount] of asked(container)) total.set(name, (total.get(name) ?? 0) + amount);
  }
  for (const container of listAt(pod, 'spec', 'initContainers')) {
    for (const [name, amount] of asked(container)) total.set(name, Math.max(total.get(name) ?? 0, amount));
  }
  return total;
}
