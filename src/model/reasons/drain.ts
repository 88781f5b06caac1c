import { list, moment } from '../phrases.ts';
import { reason } from '../reason.ts';
import { instant } from '../time.ts';

/** Why a pod does not leave a node that is being drained: what `kubectl drain` would say of it. */
export const drainReasons = {
  daemonSetPod: reason('DaemonSetPod', {
    meaning: 'A DaemonSet runs the pod and would make it again on the same node at once.',
    says: ({ pod }: { pod: string }) =>
      `${pod} is run by a DaemonSet, which would make it again; ignoreDaemonSets is off`,
    liftedBy: 'pods.ignoreDaemonSets, or the DaemonSet leaving the node',
    example: { pod: 'kube-system/cni-x7' },
  }),
  emptyDirPod: reason('EmptyDirPod', {
    meaning: 'The pod has an emptyDir volume, whose data is lost with it.',
    says: ({ pod }: { pod: string }) => `${pod} keeps data in an emptyDir, which is lost with the pod`,
    liftedBy: 'pods.deleteEmptyDirData',
    example: { pod: 'shop/cache-0' },
  }),
  unmanagedPod: reason('UnmanagedPod', {
    meaning: 'No controller made the pod, so nothing makes it again elsewhere.',
    says: ({ pod }: { pod: string }) => `${pod} belongs to no controller: nothing would make it again`,
    liftedBy: 'pods.force',
    example: { pod: 'shop/debug' },
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
  nodeWaits: reason('NodeWaits', {
    meaning: 'As many nodes are being drained as maxConcurrentNodes allows.',
    says: ({ node, first }: { node: string; first: readonly string[] }) =>
      `${node} waits its turn: ${list(first)} first`,
    liftedBy: 'one of the other nodes being drained',
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
