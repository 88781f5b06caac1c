import type { EpochMillis, Millis, MonotonicMillis } from '../../../kube/clock.ts';
import { fromTimestamp, millis } from '../../../kube/clock.ts';
import { listAt, textAt } from '../../api-server/json.ts';
import { conditionOf } from '../condition-view.ts';
import { hasEnded, type PodView } from '../pod-view.ts';
import { knobsOf, type PodKnobs } from './knobs.ts';
import type { PodRuntime } from './pod-runtime.ts';

/**
 * What a kubelet does next about a pod. `rest`: nothing until something changes. `create`: show that it is being started. `start`: start the
 * process. `show`: write that it runs, and whether it is ready. `kill`: end the process, and write nothing. `stop`: end it, then delete the pod.
 */
export type PodStep =
  | {
      readonly kind:
        | 'rest'
        | 'create'
        | 'start'
        | 'show'
        | 'back-off'
        | 'crash-loop'
        | 'fail'
        | 'complete'
        | 'kill'
        | 'stop';
    }
  | { readonly kind: 'wait'; readonly delay: Millis };

/** Now, by both clocks, and how long things take where no annotation says so. */
export interface Moment {
  readonly now: EpochMillis;
  readonly monotonic: MonotonicMillis;
}

const rest: PodStep = { kind: 'rest' };
const until = (delay: number, then: PodStep): PodStep => (delay > 0 ? { kind: 'wait', delay: millis(delay) } : then);

/** The rules of `tools/control-plane/stages/pod-*.yaml`, in one place. The runtime has its times drawn already. */
export function nextStep(pod: PodView, runtime: PodRuntime, moment: Moment): PodStep {
  const knobs = knobsOf(pod);
  if (pod.deletionTimestamp !== undefined) return whenDeleted(pod, knobs, runtime, moment);
  if (hasEnded(pod)) return runtime.process === undefined ? rest : { kind: 'kill' };
  if (knobs.fail === 'failed' || runtime.hasFailed) return { kind: 'fail' };
  if (knobs.fail === 'crash-loop') {
    return runtime.process === undefined && waitingReason(pod) === 'CrashLoopBackOff' ? rest : { kind: 'crash-loop' };
  }
  if (knobs.fail !== undefined) return rest;
  if (runtime.process === undefined) return beforeStart(pod, knobs, runtime, moment);
  return whileRunning(pod, knobs, runtime, moment);
}

function whenDeleted(pod: PodView, knobs: PodKnobs, runtime: PodRuntime, { now, monotonic }: Moment): PodStep {
  // Forced: the object is as good as gone, and a kubelet that hears of it ends the process.
  if (pod.deletionGraceSeconds === 0) return runtime.process === undefined ? rest : { kind: 'kill' };
  if (knobs.stopAfter === Number.POSITIVE_INFINITY) return rest;
  if (knobs.stopAfter === undefined) return until((runtime.stopAt ?? monotonic) - monotonic, { kind: 'stop' });
  const latest = fromTimestamp(pod.deletionTimestamp ?? '') ?? now;
  const due = Math.min(latest, latest + (knobs.stopAfter - pod.deletionGraceSeconds) * 1000);
  return until(due - now, { kind: 'stop' });
}

function beforeStart(pod: PodView, knobs: PodKnobs, runtime: PodRuntime, { now, monotonic }: Moment): PodStep {
  if (runtime.backOffSeconds > 0 && waitingReason(pod) !== 'CrashLoopBackOff') return { kind: 'back-off' };
  const isFirst = runtime.restarts === 0 && pod.phase === 'Pending';
  if (isFirst && knobs.startAfter !== undefined) {
    if (pod.startTime === '') return { kind: 'create' };
    if (knobs.startAfter === Number.POSITIVE_INFINITY) return rest;
    const due = (fromTimestamp(pod.startTime) ?? now) + knobs.startAfter * 1000;
    return until(due - now, { kind: 'start' });
  }
  return until((runtime.startAt ?? monotonic) - monotonic, { kind: 'start' });
}

function whileRunning(pod: PodView, knobs: PodKnobs, runtime: PodRuntime, { now, monotonic }: Moment): PodStep {
  const wanted = knobs.ready ? 'True' : 'False';
  const isShown = pod.phase === 'Running' && conditionOf(pod, 'Ready')?.status === wanted;
  if (!isShown || waitingReason(pod) !== '' || shownRestarts(pod) < runtime.restarts) return { kind: 'show' };
  if (!knobs.ready) return rest;
  if (knobs.completeAfter === Number.POSITIVE_INFINITY) return rest;
  if (knobs.completeAfter !== undefined) {
    const due = (fromTimestamp(pod.startTime) ?? now) + knobs.completeAfter * 1000;
    return until(due - now, { kind: 'complete' });
  }
  if (!isMeantToEnd(pod)) return rest;
  return until((runtime.completeAt ?? monotonic) - monotonic, { kind: 'complete' });
}

/** Pods of Jobs, and pods that are never restarted, end by themselves. */
export function isMeantToEnd({ object }: PodView): boolean {
  if (textAt(object, 'spec', 'restartPolicy') === 'Never') return true;
  return listAt(object, 'metadata', 'ownerReferences').some((owner) => textAt(owner, 'kind') === 'Job');
}

function waitingReason({ object }: PodView): string {
  for (const status of listAt(object, 'status', 'containerStatuses')) {
    const reason = textAt(status, 'state', 'waiting', 'reason');
    if (reason !== '') return reason;
  }
  return '';
}

/** How often the containers were restarted, as far as the API server knows. */
export function shownRestarts({ object }: PodView): number {
  const counts = listAt(object, 'status', 'containerStatuses').map((status) => {
    const count =
      typeof status === 'object' && status !== null && 'restartCount' in status ? status['restartCount'] : 0;
    return typeof count === 'number' ? count : 0;
  });
  return Math.max(0, ...counts);
}
