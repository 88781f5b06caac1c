import type { World } from '../../api-server/world.ts';
import type { NodeView } from '../node-view.ts';
import type { PodView } from '../pod-view.ts';
import { tolerates, untolerated } from '../tolerations.ts';
import { matchesTerms } from './node-selector.ts';
import type { Candidate } from './placement-view.ts';
import { affinityReasons, meetsAffinity, meetsAntiAffinity, meetsExistingAntiAffinity } from './pod-affinity.ts';
import { schedulingView } from './scheduling-view.ts';
import { spreadFault, spreadReasons } from './topology-spread.ts';
import { diskFaults, type PodDisks } from './volume-fit.ts';

/** Why a node will not do. `resolvable`: with fewer pods on it, it might. */
export interface Refusal {
  readonly reasons: readonly string[];
  readonly resolvable: boolean;
}

export interface Question {
  readonly world: World;
  readonly pod: PodView;
  readonly disks: PodDisks;
  readonly all: readonly Candidate[];
}

type Filter = (question: Question, candidate: Candidate) => Refusal | undefined;

const never = (...reasons: readonly string[]): Refusal => ({ reasons, resolvable: false });
const notNow = (...reasons: readonly string[]): Refusal => ({ reasons, resolvable: true });

const unschedulableTaint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

const unschedulable: Filter = ({ pod }, { node }) =>
  node.unschedulable && !pod.tolerations.some((each) => tolerates(each, unschedulableTaint))
    ? never('node(s) were unschedulable')
    : undefined;

const taints: Filter = ({ pod }, { node }) =>
  untolerated(node.taints, pod.tolerations, ['NoSchedule', 'NoExecute']) === undefined
    ? undefined
    : never('node(s) had untolerated taint(s)');

/** Whether the pod's node selector and required node affinity allow the node. */
export function isSelected(pod: PodView, node: NodeView): boolean {
  const { nodeSelector, nodeTerms } = schedulingView(pod.object);
  if (Object.entries(nodeSelector).some(([key, value]) => node.labels[key] !== value)) return false;
  return nodeTerms === undefined || matchesTerms(nodeTerms, node);
}

const selector: Filter = ({ pod }, { node }) =>
  isSelected(pod, node) ? undefined : never("node(s) didn't match Pod's node affinity/selector");

const resources: Filter = ({ pod }, { node, requested }) => {
  const short: string[] = [];
  let possible = true;
  for (const [name, amount] of schedulingView(pod.object).requests) {
    const offered = node.allocatable.get(name) ?? 0;
    if (amount === 0 || (requested.get(name) ?? 0) + amount <= offered) continue;
    short.push(name === 'pods' ? 'Too many pods' : `Insufficient ${name}`);
    if (amount > offered) possible = false;
  }
  if (short.length === 0) return undefined;
  return possible ? notNow(...short) : never(...short);
};

const disks: Filter = ({ world, disks }, { node }) => {
  const faults = diskFaults(world, disks, node);
  return faults.length === 0 ? undefined : never(...faults);
};

const spread: Filter = ({ pod, all }, { node }) => {
  const fault = spreadFault(pod, node, all, (each) => isSelected(pod, each));
  if (fault === undefined) return undefined;
  return fault === spreadReasons.missingLabel ? never(fault) : notNow(fault);
};

const affinity: Filter = ({ pod, all }, { node }) => {
  if (!meetsAffinity(pod, node, all)) return never(affinityReasons.affinity);
  if (!meetsAntiAffinity(pod, node, all)) return notNow(affinityReasons.antiAffinity);
  return meetsExistingAntiAffinity(pod, node, all) ? undefined : notNow(affinityReasons.existing);
};

/** In the order of the default profile: the first that refuses gives the reason. */
const filters: readonly Filter[] = [unschedulable, taints, selector, resources, disks, spread, affinity];

export function refusalOf(question: Question, candidate: Candidate): Refusal | undefined {
  for (const filter of filters) {
    const refusal = filter(question, candidate);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
