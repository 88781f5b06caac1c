import { type FieldError, forbiddenField, invalidValue } from '../field-error.ts';
import { equal, isObject, type JsonObject, listAt, objectAt, textAt } from '../json.ts';
import { labelsOf, matchLabelSelector } from '../label-selector.ts';
import type { Strategy } from '../resource-definition.ts';
import { ensureObject, setDefault, setPodSpecDefaults } from './pod-spec-defaults.ts';
import { validatePodSpec } from './pod-strategy.ts';
import { standard } from './standard-strategy.ts';

const workload: Strategy = { ...standard, generation: true };

function setTemplateDefaults(spec: JsonObject): void {
  const template = ensureObject(spec, 'template');
  setPodSpecDefaults(ensureObject(template, 'spec'));
}

function* validateTemplate(object: JsonObject): Generator<FieldError> {
  const template = objectAt(object, 'spec', 'template');
  const selects = matchLabelSelector(objectAt(object, 'spec')['selector']);
  if (!selects(objectAt(template, 'metadata', 'labels'))) {
    yield invalidValue(
      'spec.template.metadata.labels',
      { ...labelsOf(template) },
      '`selector` does not match template `labels`',
    );
  }
  yield* validatePodSpec(objectAt(template, 'spec'), 'spec.template.spec');
}

function* validateSelector(next: JsonObject, old: JsonObject): Generator<FieldError> {
  const selector = objectAt(next, 'spec')['selector'];
  if (!equal(selector, objectAt(old, 'spec')['selector']))
    yield invalidValue('spec.selector', selector, 'field is immutable');
}

const mutableOfStatefulSet = new Set([
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
]);

function* validateStatefulSetUpdate(next: JsonObject, old: JsonObject): Generator<FieldError> {
  const before = objectAt(old, 'spec');
  const after = objectAt(next, 'spec');
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  if ([...names].some((name) => !mutableOfStatefulSet.has(name) && !equal(before[name], after[name]))) {
    yield forbiddenField(
      'spec',
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    );
  }
}

export const statefulSetStrategy: Strategy = {
  ...workload,
  setDefaults(set) {
    const spec = ensureObject(set, 'spec');
    setDefault(spec, 'replicas', 1);
    setTemplateDefaults(spec);
    setDefault(spec, 'podManagementPolicy', 'OrderedReady');
    const update = ensureObject(spec, 'updateStrategy');
    if (textAt(update, 'type') === '') update['type'] = 'RollingUpdate';
    if (update['type'] === 'RollingUpdate') setDefault(ensureObject(update, 'rollingUpdate'), 'partition', 0);
    setDefault(spec, 'revisionHistoryLimit', 10);
    const retention = ensureObject(spec, 'persistentVolumeClaimRetentionPolicy');
    setDefault(retention, 'whenDeleted', 'Retain');
    setDefault(retention, 'whenScaled', 'Retain');
    for (const claim of listAt(spec, 'volumeClaimTemplates').filter(isObject)) {
      claim['kind'] = 'PersistentVolumeClaim';
      claim['apiVersion'] = 'v1';
      setDefault(ensureObject(claim, 'spec'), 'volumeMode', 'Filesystem');
      const status = ensureObject(claim, 'status');
      if (textAt(status, 'phase') === '') status['phase'] = 'Pending';
    }
  },
  validate: (set) => [...validateTemplate(set)],
  validateUpdate: (next, old) => [...validateTemplate(next), ...validateStatefulSetUpdate(next, old)],
};

export const replicaSetStrategy: Strategy = {
  ...workload,
  setDefaults(set) {
    const spec = ensureObject(set, 'spec');
    setDefault(spec, 'replicas', 1);
    setTemplateDefaults(spec);
  },
  validate: (set) => [...validateTemplate(set)],
  validateUpdate: (next, old) => [...validateTemplate(next), ...validateSelector(next, old)],
};

export const deploymentStrategy: Strategy = {
  ...workload,
  setDefaults(deployment) {
    const spec = ensureObject(deployment, 'spec');
    setDefault(spec, 'replicas', 1);
    setTemplateDefaults(spec);
    const strategy = ensureObject(spec, 'strategy');
    if (textAt(strategy, 'type') === '') strategy['type'] = 'RollingUpdate';
    if (strategy['type'] === 'RollingUpdate') {
      const rolling = ensureObject(strategy, 'rollingUpdate');
      setDefault(rolling, 'maxUnavailable', '25%');
      setDefault(rolling, 'maxSurge', '25%');
    }
    setDefault(spec, 'revisionHistoryLimit', 10);
    setDefault(spec, 'progressDeadlineSeconds', 600);
  },
  validate: (deployment) => [...validateTemplate(deployment)],
  validateUpdate: (next, old) => [...validateTemplate(next), ...validateSelector(next, old)],
};

export const daemonSetStrategy: Strategy = {
  ...workload,
  setDefaults(set) {
    const spec = ensureObject(set, 'spec');
    setTemplateDefaults(spec);
    const update = ensureObject(spec, 'updateStrategy');
    if (textAt(update, 'type') === '') update['type'] = 'RollingUpdate';
    if (update['type'] === 'RollingUpdate') {
      const rolling = ensureObject(update, 'rollingUpdate');
      setDefault(rolling, 'maxUnavailable', 1);
      setDefault(rolling, 'maxSurge', 0);
    }
    setDefault(spec, 'revisionHistoryLimit', 10);
    const annotations = ensureObject(ensureObject(set, 'metadata'), 'annotations');
    setDefault(annotations, 'deprecated.daemonset.template.generation', '1');
  },
  validate: (set) => [...validateTemplate(set)],
};

export const jobStrategy: Strategy = {
  ...workload,
  setDefaults(job) {
    setJobSpecDefaults(ensureObject(job, 'spec'));
    const spec = ensureObject(job, 'spec');
    setDefault(spec, 'completions', 1);
    setDefault(spec, 'parallelism', 1);
    setDefault(spec, 'backoffLimit', 6);
    setDefault(spec, 'completionMode', 'NonIndexed');
    setDefault(spec, 'suspend', false);
    setDefault(spec, 'manualSelector', false);
    setDefault(spec, 'podReplacementPolicy', 'TerminatingOrFailed');
  },
  prepareCreate(job) {
    const spec = ensureObject(job, 'spec');
    if (spec['manualSelector'] === true) return;
    const uid = textAt(job, 'metadata', 'uid');
    const name = textAt(job, 'metadata', 'name');
    const labels = {
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': name,
      'controller-uid': uid,
      'job-name': name,
    };
    spec['selector'] = { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } };
    Object.assign(ensureObject(ensureObject(ensureObject(spec, 'template'), 'metadata'), 'labels'), labels);
    Object.assign(ensureObject(ensureObject(job, 'metadata'), 'labels'), labels);
  },
};

function setJobSpecDefaults(spec: JsonObject): void {
  setTemplateDefaults(spec);
}

export const cronJobStrategy: Strategy = {
  ...workload,
  setDefaults(job) {
    const spec = ensureObject(job, 'spec');
    setDefault(spec, 'concurrencyPolicy', 'Allow');
    setDefault(spec, 'suspend', false);
    setDefault(spec, 'successfulJobsHistoryLimit', 3);
    setDefault(spec, 'failedJobsHistoryLimit', 1);
    setJobSpecDefaults(ensureObject(ensureObject(spec, 'jobTemplate'), 'spec'));
  },
};
