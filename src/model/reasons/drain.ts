import { list, moment } from '../phrases.ts';
import { reason } from '../reason.ts';
import { instant } from '../time.ts';

/** Why a pod does not leave a node that is being drained: what `kubectl drain` would say of it. */
export const drainReasons = {
  daemonSetPod: reason('DaemonSetPod', {
    meaning: 'A DaemonSet runs the pod and would make it again on the same node at once.',
    says: ({ pod }: { pod: string }) =>
      `${pod} is run by a DaemonSet, which would make it again; pods.ignoreDaemonSets leaves it where it is`,
    liftedBy: 'pods.ignoreDaemonSets, or the DaemonSet leaving the node',
    example: { pod: 'kube-system/cni-x7' },
  }),
  daemonSetIgnored: reason('DaemonSetIgnored', {
    meaning: 'A DaemonSet runs the pod, so it is left where it is.',
    says: ({ pod }: { pod: string }) => `${pod} is run by a DaemonSet and stays`,
    liftedBy: 'the DaemonSet leaving the node',
    example: { pod: 'kube-system/cni-x7' },
  }),
  mirrorPod: reason('MirrorPod', {
    meaning: "The pod is the kubelet's own, from a file on the node: the API server cannot take it away.",
    says: ({ pod }: { pod: string }) => `${pod} is run by the kubelet from a file on the node and stays`,
    liftedBy: 'the file being taken off the node',
    example: { pod: 'kube-system/etcd-n1' },
  }),
  emptyDirPod: reason('EmptyDirPod', {
    meaning: 'The pod has an emptyDir volume, whose data is lost with it.',
    says: ({ pod }: { pod: string }) =>
      `${pod} keeps data in an emptyDir, which is lost with the pod; pods.deleteEmptyDirData lets it go`,
    liftedBy: 'pods.deleteEmptyDirData',
    example: { pod: 'shop/cache-0' },
  }),
  unmanagedPod: reason('UnmanagedPod', {
    meaning: 'No controller made the pod, so nothing makes it again elsewhere.',
    says: ({ pod }: { pod: string }) =>
      `${pod} belongs to no controller: nothing would make it again; pods.force lets it go`,
    liftedBy: 'pods.force',
    example: { pod: 'shop/debug' },
  }),
  budgetHolds: reason('BudgetHolds', {
    meaning: 'A disruption budget that is not Drover’s does not let the pod go now. It is asked again now and then.',
    says: ({ pod, budgets, words }: { pod: string; budgets: readonly string[]; words: string }) =>
      `${pod} is held by ${budgets.length === 0 ? 'a disruption budget' : `the disruption budget ${list(budgets)}`}: ${words}`,
    liftedBy: 'the budget allowing a disruption',
    example: {
      pod: 'shop/web-1',
      budgets: ['shop/web'],
      words: 'The disruption budget web needs 2 healthy pods and has 2 currently',
    },
  }),
  severalBudgets: reason('SeveralBudgets', {
    meaning:
      'More than one disruption budget selects the pod, and then the API server evicts it under no circumstances.',
    says: ({ pod, budgets }: { pod: string; budgets: readonly string[] }) =>
      `${pod} cannot be evicted by anybody: ${list(budgets)} all select it, and the API server takes one budget at most`,
    liftedBy: 'a person leaving one of the budgets',
    example: { pod: 'shop/web-1', budgets: ['shop/web', 'shop/all'] },
  }),
  evictionRefused: reason('EvictionRefused', {
    meaning:
      'The API server, or something that it asks, will not evict the pod now. It is asked again, at ever longer intervals.',
    says: ({ pod, words }: { pod: string; words: string }) => `${pod} is not evicted: ${words}`,
    liftedBy: 'whoever refused it',
    example: { pod: 'shop/web-1', words: 'the API server does not answer' },
  }),
  podGoing: reason('PodGoing', {
    meaning: 'The pod is being deleted and is not gone yet.',
    says: ({ pod, since }: { pod: string; since: number }) => `${pod} has been going since ${moment(instant(since))}`,
    liftedBy: 'the pod being gone',
    example: { pod: 'shop/web-1', since: Date.UTC(2026, 10, 15) },
  }),
  noDecision: reason('NoDecision', {
    meaning: 'The pod is guarded, and there is no decision about it yet.',
    says: ({ pod, cluster }: { pod: string; cluster: string }) =>
      `${pod} is guarded by ${cluster}, which has not decided about it yet`,
    liftedBy: 'a decision of its cluster',
    example: { pod: 'db/orders-storage-1', cluster: 'db/orders' },
  }),
  guardLetsGo: reason('GuardLetsGo', {
    meaning: 'The pod is guarded, and nothing holds it: its cluster lets it go in its own order, one at a time.',
    says: ({ pod, cluster }: { pod: string; cluster: string }) =>
      `${pod} goes when ${cluster}, which guards it, has it evicted: nothing holds it`,
    liftedBy: 'the cluster having it evicted',
    example: { pod: 'db/orders-storage-1', cluster: 'db/orders' },
  }),
  notAskedYet: reason('NotAskedYet', {
    meaning: 'The pod could not go now. Nobody has asked for it yet, so that nothing is being done about that.',
    says: ({ group }: { group: string }) =>
      `${group} would wait first: it is made ready to go once someone asks for it`,
    liftedBy: 'the drain of its node, or anything else that asks for it',
    example: { group: 'storage-4' },
  }),
  nodeNotCordoned: reason('NodeNotCordoned', {
    meaning: 'The node is not cordoned yet, so that what leaves it could come back.',
    says: ({ pod, node }: { pod: string; node: string }) => `${pod} stays until ${node} is cordoned`,
    liftedBy: 'the node being cordoned',
    example: { pod: 'shop/web-1', node: 'n1' },
  }),
  nodeBlocked: reason('NodeBlocked', {
    meaning: 'Another pod of the node cannot be taken away, so that nothing is taken away from it.',
    says: ({ pod, node, because }: { pod: string; node: string; because: readonly string[] }) =>
      `${pod} stays: ${node} is not drained while ${list(because)} cannot go`,
    liftedBy: 'the other pod going, or another setting of the drain',
    example: { pod: 'shop/web-1', node: 'n1', because: ['shop/debug'] },
  }),
  nodeNotRead: reason('NodeNotRead', {
    meaning: 'What runs on the node has not been read yet.',
    says: ({ node }: { node: string }) => `the pods of ${node} have not been read yet`,
    liftedBy: 'an answer of the API server, or the turn of the node coming nearer',
    example: { node: 'n1' },
  }),
  nodeGone: reason('NodeGone', {
    meaning: 'The node was deleted while it was being drained: there is nothing left to drain.',
    says: ({ node }: { node: string }) => `${node} no longer exists, and what ran on it is gone with it`,
    liftedBy: 'nothing: it is done',
    example: { node: 'n1' },
  }),
  anotherDrain: reason('AnotherDrain', {
    meaning: 'Another NodeDrain, which came first, drains the node.',
    says: ({ node, drain }: { node: string; drain: string }) =>
      `${node} is being drained by NodeDrain ${drain}, which came first`,
    liftedBy: 'the other NodeDrain being done with the node, or deleted',
    example: { node: 'n1', drain: 'upgrade' },
  }),
  volumesAttached: reason('VolumesAttached', {
    meaning:
      'The pods are gone, and volumes are still attached to the node: what needs them cannot start elsewhere yet.',
    says: ({ node, volumes }: { node: string; volumes: readonly string[] }) =>
      `the pods of ${node} are gone, and ${list(volumes)} ${volumes.length === 1 ? 'is' : 'are'} still attached to it`,
    liftedBy: 'the volumes being detached',
    example: { node: 'n1', volumes: ['pvc-0b1c'] },
  }),
  volumesLeaving: reason('VolumesLeaving', {
    meaning: 'The pods are gone, and process groups that leave the node with them still have their claims.',
    says: ({ node, groups }: { node: string; groups: readonly string[] }) =>
      `the pods of ${node} are gone, and ${list(groups)} ${groups.length === 1 ? 'has its claim' : 'have their claims'} still: see what ${groups.length === 1 ? 'it waits' : 'they wait'} for in the status of the cluster`,
    liftedBy: 'their claims being gone',
    example: { node: 'n1', groups: ['storage-4 of shop/orders'] },
  }),
  nodeWaits: reason('NodeWaits', {
    meaning:
      'As many nodes are being drained as maxConcurrentNodes allows. One on which only pods are left that never go does not count.',
    says: ({ node, first }: { node: string; first: readonly string[] }) =>
      `${node} waits its turn: ${list(first)} first`,
    liftedBy: 'one of the other nodes being drained, or having only pods left that never go',
    example: { node: 'n2', first: ['n1'] },
  }),
  pastDeadline: reason('PastDeadline', {
    meaning: 'By the progress so far the pod will not be gone by the deadline. It is not forced.',
    says: ({ pod, estimatedEnd, deadline }: { pod: string; estimatedEnd: number; deadline: number }) =>
      `${pod} is expected to be ready to go at ${moment(instant(estimatedEnd))}, after the deadline of ${moment(instant(deadline))}`,
    liftedBy: 'a later deadline',
    example: {
      pod: 'db/orders-storage-1',
      estimatedEnd: Date.UTC(2026, 10, 15, 2),
      deadline: Date.UTC(2026, 10, 15, 1),
    },
  }),
};
