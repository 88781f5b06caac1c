import { duplicate, type FieldError, forbiddenField, invalidValue, required } from '../field-error.ts';
import {
  at,
  clone,
  equal,
  isObject,
  type JsonObject,
  type JsonValue,
  listAt,
  numberAt,
  objectAt,
  textAt,
} from '../json.ts';
import { labelName, subdomainName } from '../name-rules.ts';
import type { Strategy } from '../resource-definition.ts';
import { ensureObject, setDefault, setPodSpecDefaults } from './pod-spec-defaults.ts';
import { standard } from './standard-strategy.ts';

/** Pods: `pkg/registry/core/pod`, with the admission plugins that are always on. */
export const podStrategy: Strategy = {
  ...standard,
  generation: true,
  returnsDeleted: true,
  name: subdomainName,
  setDefaults(pod) {
    const spec = ensureObject(pod, 'spec');
    setPodSpecDefaults(spec);
    setDefault(spec, 'enableServiceLinks', true);
  },
  prepareCreate(pod) {
    const spec = ensureObject(pod, 'spec');
    setDefault(spec, 'priority', 0);
    setDefault(spec, 'preemptionPolicy', 'PreemptLowerPriority');
    addDefaultTolerations(spec);
    pod['status'] = { phase: 'Pending', qosClass: qualityOfService(spec) };
  },
  prepareStatus(next, old) {
    const status = ensureObject(next, 'status');
    if (textAt(status, 'qosClass') === '') status['qosClass'] = textAt(old, 'status', 'qosClass');
    const owners = at(old, 'metadata', 'ownerReferences');
    const metadata = ensureObject(next, 'metadata');
    if (owners === undefined) delete metadata['ownerReferences'];
    else metadata['ownerReferences'] = owners;
  },
  validate: (pod) => [...validatePodSpec(objectAt(pod, 'spec'), 'spec')],
  validateUpdate: (next, old) => [...validateSpecUpdate(next, old)],
  validateStatus: (next, old) => [...validateNodeName(next, old)],
  warnings: (pod) => {
    const fault = labelName(textAt(pod, 'metadata', 'name'));
    return fault === undefined
      ? []
      : [
          `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${fault}]`,
        ];
  },
  fields: {
    'spec.nodeName': (pod) => textAt(pod, 'spec', 'nodeName'),
    'spec.restartPolicy': (pod) => textAt(pod, 'spec', 'restartPolicy'),
    'spec.schedulerName': (pod) => textAt(pod, 'spec', 'schedulerName'),
    'spec.serviceAccountName': (pod) => textAt(pod, 'spec', 'serviceAccountName'),
    'spec.hostNetwork': (pod) => String(at(pod, 'spec', 'hostNetwork') === true),
    'status.phase': (pod) => textAt(pod, 'status', 'phase'),
    'status.podIP': (pod) => textAt(pod, 'status', 'podIP'),
    'status.nominatedNodeName': (pod) => textAt(pod, 'status', 'nominatedNodeName'),
  },
  gracePeriod(pod, requested) {
    // A pod that no kubelet has, or that is over, has nobody to wait for.
    if (textAt(pod, 'spec', 'nodeName') === '') return 0;
    if (['Failed', 'Succeeded'].includes(textAt(pod, 'status', 'phase'))) return 0;
    const period = requested ?? numberAt(pod, 'spec', 'terminationGracePeriodSeconds') ?? 0;
    return period < 0 ? 1 : period;
  },
};

function addDefaultTolerations(spec: JsonObject): void {
  const tolerations = [...listAt(spec, 'tolerations')];
  const tolerates = (key: string) =>
    tolerations.some((each) => {
      const effect = textAt(each, 'effect');
      return (textAt(each, 'key') === key || textAt(each, 'key') === '') && (effect === 'NoExecute' || effect === '');
    });
  for (const key of ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']) {
    if (!tolerates(key)) tolerations.push({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 });
  }
  if (tolerations.length > 0) spec['tolerations'] = tolerations;
}

/** Guaranteed, Burstable or BestEffort, by what the containers ask for. */
function qualityOfService(spec: JsonObject): string {
  const containers = [...listAt(spec, 'containers'), ...listAt(spec, 'initContainers')];
  const asked = containers.map((container) => objectAt(container, 'resources'));
  if (asked.every((resources) => isEmpty(resources['requests']) && isEmpty(resources['limits']))) return 'BestEffort';
  const guaranteed = asked.every((resources) =>
    ['cpu', 'memory'].every((name) => {
      const limit = at(resources, 'limits', name);
      return limit !== undefined && equal(limit, at(resources, 'requests', name));
    }),
  );
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

const isEmpty = (value: JsonValue | undefined) => !isObject(value) || Object.keys(value).length === 0;

/** What every pod spec must have; templates are held to the same. */
export function* validatePodSpec(spec: JsonObject, path: string): Generator<FieldError> {
  const containers = listAt(spec, 'containers');
  if (containers.length === 0) yield required(`${path}.containers`);
  const seen = new Set<string>();
  for (const [index, container] of containers.entries()) {
    const where = `${path}.containers[${index}]`;
    const name = textAt(container, 'name');
    if (name === '') yield required(`${where}.name`);
    else {
      const fault = labelName(name);
      if (fault !== undefined) yield invalidValue(`${where}.name`, name, fault);
      if (seen.has(name)) yield duplicate(`${where}.name`, name);
    }
    seen.add(name);
    if (textAt(container, 'image') === '') yield required(`${where}.image`);
  }
}

const mutable =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

function* validateSpecUpdate(next: JsonObject, old: JsonObject): Generator<FieldError> {
  yield* validatePodSpec(objectAt(next, 'spec'), 'spec');
  const before = objectAt(old, 'spec');
  const after = clone(objectAt(next, 'spec'));
  if (listAt(before, 'containers').length !== listAt(after, 'containers').length) {
    yield forbiddenField('spec.containers', 'pod updates may not add or remove containers');
    return;
  }
  const kept = listAt(before, 'tolerations').every((each) =>
    listAt(after, 'tolerations').some((now) => equal(each, now)),
  );
  if (!kept)
    yield forbiddenField('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds');
  for (const list of ['containers', 'initContainers']) {
    for (const [index, container] of listAt(after, list).entries()) {
      if (isObject(container)) container['image'] = at(listAt(before, list)[index], 'image');
    }
  }
  for (const name of ['activeDeadlineSeconds', 'tolerations']) after[name] = before[name];
  yield* validateDeadline(numberAt(before, 'activeDeadlineSeconds'), numberAt(next, 'spec', 'activeDeadlineSeconds'));
  if (!equal(before, after)) yield forbiddenField('spec', mutable);
}

/** A deadline may come nearer, and nothing else. */
function* validateDeadline(before: number | undefined, after: number | undefined): Generator<FieldError> {
  const path = 'spec.activeDeadlineSeconds';
  if (after !== undefined && before !== undefined && after > before) {
    yield invalidValue(path, after, 'must be less than or equal to previous value');
  }
  if (after === undefined && before !== undefined) {
    yield invalidValue(path, null, 'must not update from a positive integer to nil value');
  }
}

function* validateNodeName(next: JsonObject, old: JsonObject): Generator<FieldError> {
  if (textAt(next, 'spec', 'nodeName') !== textAt(old, 'spec', 'nodeName')) {
    yield forbiddenField('status.nodeName', 'may not be changed directly');
  }
}
