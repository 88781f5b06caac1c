import type { Interner } from '../../kube/interner.ts';
import type { KeyText } from '../../kube/object.ts';
import type { Node as KubeNode } from '../../kube/resources.ts';
import type { Zone } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import type { Node, Taint } from '../../model/node.ts';
import { moment } from './moment.ts';

/** What is kept of a node: clusters have different labels for what is a zone to them. */
export interface NodeView {
  readonly key: KeyText;
  readonly version: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly node: Omit<Node, 'zone'>;
}

const hostname = 'kubernetes.io/hostname';

/** Where it is written since when a node has been cordoned. Kubernetes itself does not say. */
const cordonedSince = 'drover.dev/cordoned-since';

/** What Kubernetes puts on a cordoned node, some versions with the time. */
const cordonTaint = 'node.kubernetes.io/unschedulable';

/** The projection of a cache of nodes: without what kubelets write every few seconds. Nodes share most words of their labels. */
export function nodeView({ metadata, spec = {}, status = {} }: KubeNode, interner: Interner): NodeView {
  const taints = (spec.taints ?? []).map(
    ({ key, effect, timeAdded }): Taint => ({
      key: interner.string(key),
      effect: effectOf(effect),
      timeAdded: moment(timeAdded),
    }),
  );
  const cordoned = spec.unschedulable === true;
  const labels = Object.entries(metadata.labels ?? {});
  const noted = moment(metadata.annotations?.[cordonedSince]);
  return {
    key: metadata.name,
    version: metadata.resourceVersion ?? '',
    labels: Object.fromEntries(labels.map(([key, value]) => [interner.string(key), interner.string(value)])),
    node: {
      name: name(metadata.name),
      ready: status.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true,
      cordoned,
      cordonedSince: cordoned ? (noted ?? taints.find(({ key }) => key === cordonTaint)?.timeAdded ?? null) : null,
      taints,
    },
  };
}

/** A node as a decision sees it, for a cluster whose zones are told by this label. A node without the label is in no zone that is known. */
export function seenNode({ labels, node }: NodeView, faultDomainKey: string): Node {
  const zone = labels[faultDomainKey] ?? '';
  const fallback = faultDomainKey === hostname ? name<Zone>(node.name) : null;
  return { ...node, zone: zone === '' ? fallback : name<Zone>(zone) };
}

const effectOf = (effect: string): Taint['effect'] =>
  effect === 'NoExecute' || effect === 'PreferNoSchedule' ? effect : 'NoSchedule';
