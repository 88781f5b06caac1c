import { at, type JsonObject, type JsonValue, listAt, numberAt, textAt } from '../json.ts';
import { age } from './human-duration.ts';
import { ageColumn, layout, nameColumn, orNone } from './layout.ts';

/** What `kubectl get pods` calls the state of a pod: the first thing that is wrong, or its phase. */
function podState(pod: JsonObject): string {
  let state = textAt(pod, 'status', 'reason') || textAt(pod, 'status', 'phase');
  const scheduled = listAt(pod, 'status', 'conditions').find((each) => textAt(each, 'type') === 'PodScheduled');
  if (scheduled !== undefined && textAt(scheduled, 'reason') === 'SchedulingGated') state = 'SchedulingGated';
  const starting = initState(pod);
  if (starting === undefined) state = containerState(pod, state);
  else state = starting;
  if (at(pod, 'metadata', 'deletionTimestamp') === undefined) return state;
  if (textAt(pod, 'status', 'reason') === 'NodeLost') return 'Unknown';
  return ['Failed', 'Succeeded'].includes(textAt(pod, 'status', 'phase')) ? state : 'Terminating';
}

function initState(pod: JsonObject): string | undefined {
  const all = listAt(pod, 'spec', 'initContainers').length;
  for (const [index, status] of listAt(pod, 'status', 'initContainerStatuses').entries()) {
    const ended = at(status, 'state', 'terminated');
    if (ended !== undefined && numberAt(ended, 'exitCode') === 0) continue;
    if (ended !== undefined) return `Init:${textAt(ended, 'reason') || `ExitCode:${numberAt(ended, 'exitCode')}`}`;
    const waiting = textAt(status, 'state', 'waiting', 'reason');
    return waiting !== '' && waiting !== 'PodInitializing' ? `Init:${waiting}` : `Init:${index}/${all}`;
  }
  return undefined;
}

function containerState(pod: JsonObject, phase: string): string {
  let state = phase;
  let running = false;
  for (const status of listAt(pod, 'status', 'containerStatuses').toReversed()) {
    const waiting = textAt(status, 'state', 'waiting', 'reason');
    const ended = at(status, 'state', 'terminated');
    if (waiting !== '') state = waiting;
    else if (ended !== undefined) {
      state =
        textAt(ended, 'reason') ||
        (numberAt(ended, 'signal')
          ? `Signal:${numberAt(ended, 'signal')}`
          : `ExitCode:${numberAt(ended, 'exitCode') ?? 0}`);
    } else if (at(status, 'ready') === true && at(status, 'state', 'running') !== undefined) running = true;
  }
  if (state !== 'Completed' || !running) return state;
  return isReady(pod) ? 'Running' : 'NotReady';
}

const isReady = (pod: JsonObject) =>
  listAt(pod, 'status', 'conditions').some(
    (each) => textAt(each, 'type') === 'Ready' && textAt(each, 'status') === 'True',
  );

function readyContainers(pod: JsonObject): string {
  const statuses = listAt(pod, 'status', 'containerStatuses');
  const ready = statuses.filter(
    (status) => at(status, 'ready') === true && at(status, 'state', 'running') !== undefined,
  );
  return `${ready.length}/${listAt(pod, 'spec', 'containers').length}`;
}

function restarts(pod: JsonObject, now: number): JsonValue {
  const statuses = listAt(pod, 'status', 'containerStatuses');
  const count = statuses.reduce((sum: number, status) => sum + (numberAt(status, 'restartCount') ?? 0), 0);
  const last =
    statuses
      .map((status) => textAt(status, 'lastState', 'terminated', 'finishedAt'))
      .sort()
      .at(-1) ?? '';
  return count === 0 || last === '' ? String(count) : `${count} (${age(last, now)} ago)`;
}

function gates(pod: JsonObject): string {
  const wanted = listAt(pod, 'spec', 'readinessGates').map((gate) => textAt(gate, 'conditionType'));
  if (wanted.length === 0) return '<none>';
  const open = wanted.filter((type) =>
    listAt(pod, 'status', 'conditions').some(
      (each) => textAt(each, 'type') === type && textAt(each, 'status') === 'True',
    ),
  );
  return `${open.length}/${wanted.length}`;
}

export const podTable = layout(
  nameColumn,
  ['Ready', readyContainers],
  ['Status', podState],
  ['Restarts', restarts],
  ageColumn,
  ['*IP', (pod) => orNone(textAt(pod, 'status', 'podIP'))],
  ['*Node', (pod) => orNone(textAt(pod, 'spec', 'nodeName'))],
  ['*Nominated Node', (pod) => orNone(textAt(pod, 'status', 'nominatedNodeName'))],
  ['*Readiness Gates', gates],
);
