import { at, type JsonObject, type JsonValue, listAt, numberAt, objectAt, printed, textAt } from '../json.ts';
import { formatLabelSelector } from '../label-selector.ts';
import { age, humanDuration } from './human-duration.ts';
import { ageColumn, type ColumnRow, containers, layout, nameColumn, orNone } from './layout.ts';

const count =
  (...path: readonly string[]) =>
  (object: JsonObject): JsonValue =>
    numberAt(object, ...path) ?? 0;
const images: readonly ColumnRow[] = [
  ['*Containers', containers('name')],
  ['*Images', containers('image')],
];
const selector: ColumnRow = ['*Selector', (object) => formatLabelSelector(at(object, 'spec', 'selector'))];
const readyOfWanted = (object: JsonObject) =>
  `${numberAt(object, 'status', 'readyReplicas') ?? 0}/${numberAt(object, 'spec', 'replicas') ?? 0}`;

export const statefulSetTable = layout(nameColumn, ['Ready', readyOfWanted], ageColumn, ...images);

export const deploymentTable = layout(
  nameColumn,
  ['Ready', readyOfWanted],
  ['Up-to-date', (each) => printed(count('status', 'updatedReplicas')(each))],
  ['Available', (each) => printed(count('status', 'availableReplicas')(each))],
  ageColumn,
  ...images,
  selector,
);

export const replicaSetTable = layout(
  nameColumn,
  ['#Desired', count('spec', 'replicas')],
  ['#Current', count('status', 'replicas')],
  ['#Ready', count('status', 'readyReplicas')],
  ageColumn,
  ...images,
  selector,
);

function pairs(object: JsonObject): string {
  return orNone(
    Object.entries(object)
      .map(([key, value]) => `${key}=${printed(value)}`)
      .sort()
      .join(','),
  );
}

export const daemonSetTable = layout(
  nameColumn,
  ['#Desired', count('status', 'desiredNumberScheduled')],
  ['#Current', count('status', 'currentNumberScheduled')],
  ['#Ready', count('status', 'numberReady')],
  ['#Up-to-date', count('status', 'updatedNumberScheduled')],
  ['#Available', count('status', 'numberAvailable')],
  ['Node Selector', (each) => pairs(objectAt(each, 'spec', 'template', 'spec', 'nodeSelector'))],
  ageColumn,
  ...images,
  selector,
);

function jobState(job: JsonObject): string {
  const holds = (type: string) =>
    listAt(job, 'status', 'conditions').some(
      (each) => textAt(each, 'type') === type && textAt(each, 'status') === 'True',
    );
  if (holds('Complete')) return 'Complete';
  if (holds('Failed')) return 'Failed';
  if (at(job, 'metadata', 'deletionTimestamp') !== undefined) return 'Terminating';
  return holds('Suspended') ? 'Suspended' : 'Running';
}

function jobDuration(job: JsonObject, now: number): string {
  const start = textAt(job, 'status', 'startTime');
  if (start === '') return '';
  const end = textAt(job, 'status', 'completionTime');
  return end === '' ? age(start, now) : humanDuration(Date.parse(end) - Date.parse(start));
}

export const jobTable = layout(
  nameColumn,
  ['Status', jobState],
  ['Completions', (job) => `${numberAt(job, 'status', 'succeeded') ?? 0}/${numberAt(job, 'spec', 'completions') ?? 1}`],
  ['Duration', jobDuration],
  ageColumn,
  ...images,
  selector,
);

export const cronJobTable = layout(
  nameColumn,
  ['Schedule', (job) => textAt(job, 'spec', 'schedule')],
  ['Timezone', (job) => orNone(textAt(job, 'spec', 'timeZone'))],
  ['Suspend', (job) => (at(job, 'spec', 'suspend') === true ? 'True' : 'False')],
  ['#Active', (job) => listAt(job, 'status', 'active').length],
  [
    'Last Schedule',
    (job, now) => {
      const last = textAt(job, 'status', 'lastScheduleTime');
      return last === '' ? '<none>' : age(last, now);
    },
  ],
  ageColumn,
);
