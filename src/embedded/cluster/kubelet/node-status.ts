import { conditionOf } from '../condition-view.ts';
import { type NodeView, readiness } from '../node-view.ts';
import { readyAnnotation } from './knobs.ts';

interface Report {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

const allWell: readonly Report[] = [
  { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
  {
    type: 'MemoryPressure',
    status: 'False',
    reason: 'KubeletHasSufficientMemory',
    message: 'kubelet has sufficient memory available',
  },
  {
    type: 'DiskPressure',
    status: 'False',
    reason: 'KubeletHasNoDiskPressure',
    message: 'kubelet has no disk pressure',
  },
  {
    type: 'PIDPressure',
    status: 'False',
    reason: 'KubeletHasSufficientPID',
    message: 'kubelet has sufficient PID available',
  },
  {
    type: 'NetworkUnavailable',
    status: 'False',
    reason: 'RouteCreated',
    message: 'RouteController created a route',
  },
];

const unwell: readonly Report[] = [
  {
    type: 'Ready',
    status: 'False',
    reason: 'KubeletNotReady',
    message: 'the annotation fake.drover.dev/ready says so',
  },
];

/** The conditions that a kubelet has to write of its node, or undefined while they stand there already. */
export function nodeReport(node: NodeView, now: string): readonly object[] | undefined {
  const wanted = node.annotations[readyAnnotation] === 'false' ? 'False' : 'True';
  if (readiness(node) === wanted) return undefined;
  return (wanted === 'True' ? allWell : unwell).map((report) => ({
    ...report,
    lastHeartbeatTime: now,
    lastTransitionTime:
      conditionOf(node, report.type)?.status === report.status
        ? conditionOf(node, report.type)?.lastTransitionTime
        : now,
  }));
}
