import { isObject, type JsonObject, type JsonValue, listAt, numberAt, textAt } from '../../api-server/json.ts';
import { conditionOf } from '../condition-view.ts';
import type { PodView } from '../pod-view.ts';
import { knobsOf } from './knobs.ts';
import type { PodProcess } from './pod-hooks.ts';
import type { PodRuntime } from './pod-runtime.ts';

/** What is written of a pod: a strategic merge patch of its status. */
export type StatusPatch = object;

interface Writing {
  readonly pod: PodView;
  readonly now: string;
}

const readyConditions = ['ContainersReady', 'Ready'] as const;

/** ContainerCreating: what a pod with a start delay shows. */
export function creating({ pod, now }: Writing): StatusPatch {
  return {
    phase: 'Pending',
    startTime: now,
    conditions: [
      condition({ pod, now }, 'Initialized', 'True'),
      ...readyConditions.map((type) => condition({ pod, now }, type, 'False', { reason: 'ContainersNotReady' })),
    ],
    containerStatuses: containers(pod, () => ({
      imageID: '',
      ready: false,
      started: false,
      restartCount: 0,
      state: { waiting: { reason: 'ContainerCreating' } },
    })),
  };
}

/** The pod runs; whether it is ready its annotation says. */
export function running(writing: Writing, process: PodProcess, restarts: number, hostAddress: string): StatusPatch {
  const { pod, now } = writing;
  const { ready } = knobsOf(pod);
  const why = ready ? {} : { reason: 'ContainersNotReady', message: unreadyMessage(pod) };
  const begun = pod.phase === 'Running' ? [] : ['PodReadyToStartContainers', 'Initialized'];
  return {
    phase: 'Running',
    startTime: pod.startTime || now,
    conditions: [
      ...begun.map((type) => condition(writing, type, 'True')),
      ...readyConditions.map((type) => condition(writing, type, ready ? 'True' : 'False', why)),
    ],
    containerStatuses: containers(pod, ({ name, before }) => ({
      containerID: `fake://${pod.uid}/${name}`,
      ready,
      started: true,
      restartCount: restarts,
      ...(isObject(before['lastState']) && { lastState: before['lastState'] }),
      state: { running: { startedAt: (numberAt(before, 'restartCount') === restarts && startedAt(before)) || now } },
    })),
    ...initStatuses(pod, now),
    ...(hostAddress !== '' && { hostIP: hostAddress, hostIPs: [{ ip: hostAddress }] }),
    podIP: process.address,
    podIPs: [{ ip: process.address }],
  };
}

const startedAt = (container: JsonValue): string => textAt(container, 'state', 'running', 'startedAt');

/** CrashLoopBackOff: it is not ready, and will be started again after the back-off, or when the annotation that made it crash goes. */
export function crashing(writing: Writing, runtime: PodRuntime, backOff: string): StatusPatch {
  const { pod, now } = writing;
  const ended = { exitCode: 1, reason: 'Error', startedAt: now, finishedAt: now };
  return {
    phase: 'Running',
    startTime: pod.startTime || now,
    conditions: [
      condition(writing, 'Initialized', 'True'),
      ...readyConditions.map((type) =>
        condition(writing, type, 'False', { reason: 'ContainersNotReady', message: unreadyMessage(pod) }),
      ),
    ],
    containerStatuses: containers(pod, ({ name }) => ({
      ready: false,
      started: false,
      restartCount: runtime.restarts,
      lastState: { terminated: ended },
      state: {
        waiting: {
          reason: 'CrashLoopBackOff',
          message: `back-off ${backOff} restarting failed container=${name} pod=${pod.name}_${pod.namespace}(${pod.uid})`,
        },
      },
    })),
  };
}

/** Over: with success or with an error. */
export function ended(writing: Writing, phase: 'Succeeded' | 'Failed', restarts: number): StatusPatch {
  const { pod, now } = writing;
  const isWell = phase === 'Succeeded';
  const startedAt = pod.startTime || now;
  const result = isWell ? { exitCode: 0, reason: 'Completed' } : { exitCode: 1, reason: 'Error' };
  return {
    phase,
    startTime: startedAt,
    conditions: readyConditions.map((type) =>
      condition(writing, type, 'False', { reason: isWell ? 'PodCompleted' : 'PodFailed' }),
    ),
    containerStatuses: containers(pod, () => ({
      ready: false,
      started: false,
      restartCount: restarts,
      state: { terminated: { ...result, startedAt, finishedAt: now } },
    })),
  };
}

function condition(
  { pod, now }: Writing,
  type: string,
  status: 'True' | 'False',
  why: { readonly reason?: string; readonly message?: string } = {},
): object {
  const before = conditionOf(pod, type);
  return {
    type,
    status,
    reason: why.reason ?? null,
    message: why.message ?? null,
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : now,
  };
}

function containers(
  pod: PodView,
  stateOf: (container: { readonly name: string; readonly before: JsonObject }) => object,
): object[] {
  const known = listAt(pod.object, 'status', 'containerStatuses').filter(isObject);
  return listAt(pod.object, 'spec', 'containers').map((container) => {
    const name = textAt(container, 'name');
    const image = textAt(container, 'image');
    const before = known.find((each) => textAt(each, 'name') === name) ?? {};
    return { name, image, imageID: `fake://${image}`, ...stateOf({ name, before }) };
  });
}

function initStatuses(pod: PodView, now: string): object {
  const list = listAt(pod.object, 'spec', 'initContainers');
  if (list.length === 0) return {};
  const done = { terminated: { exitCode: 0, reason: 'Completed', startedAt: now, finishedAt: now } };
  return {
    initContainerStatuses: list.map((container) => {
      const isSidecar = textAt(container, 'restartPolicy') === 'Always';
      const image = textAt(container, 'image');
      return {
        name: textAt(container, 'name'),
        image,
        imageID: `fake://${image}`,
        ready: true,
        started: isSidecar,
        restartCount: 0,
        state: isSidecar ? { running: { startedAt: now } } : done,
      };
    }),
  };
}

const unreadyMessage = (pod: PodView): string =>
  `containers with unready status: [${listAt(pod.object, 'spec', 'containers')
    .map((each) => textAt(each, 'name'))
    .join(' ')}]`;
