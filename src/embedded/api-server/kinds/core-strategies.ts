import { type FieldError, forbiddenField, invalidValue, required, unsupported } from '../field-error.ts';
import {
  at,
  equal,
  isObject,
  isString,
  type JsonObject,
  type JsonValue,
  listAt,
  numberAt,
  objectAt,
  printed,
  textAt,
} from '../json.ts';
import { configKey, labelName, labelValue, pathSegmentName, qualifiedName } from '../name-rules.ts';
import type { Strategy } from '../resource-definition.ts';
import { ensureObject, setDefault } from './pod-spec-defaults.ts';
import { standard } from './standard-strategy.ts';

const nameLabel = 'kubernetes.io/metadata.name';

export const namespaceStrategy: Strategy = {
  ...standard,
  name: labelName,
  returnsDeleted: true,
  setDefaults(namespace) {
    const name = textAt(namespace, 'metadata', 'name');
    if (name !== '') ensureObject(ensureObject(namespace, 'metadata'), 'labels')[nameLabel] = name;
  },
  prepareCreate(namespace) {
    const name = textAt(namespace, 'metadata', 'name');
    ensureObject(ensureObject(namespace, 'metadata'), 'labels')[nameLabel] = name;
    namespace['status'] = { phase: 'Active' };
    const spec = ensureObject(namespace, 'spec');
    const finalizers = listAt(spec, 'finalizers');
    if (!finalizers.includes('kubernetes')) spec['finalizers'] = [...finalizers, 'kubernetes'];
  },
  prepareUpdate(next, old) {
    next['spec'] = objectAt(old, 'spec');
  },
  fields: { 'status.phase': (namespace) => textAt(namespace, 'status', 'phase') },
};

export const configMapStrategy: Strategy = {
  ...standard,
  validate: (map) => [...validateKeys(map)],
  validateUpdate: (next, old) => [...validateImmutable(next, old), ...validateKeys(next)],
};

function* validateKeys(map: JsonObject): Generator<FieldError> {
  for (const part of ['data', 'binaryData']) {
    for (const key of Object.keys(objectAt(map, part)).sort()) {
      const fault = configKey(key);
      if (fault !== undefined) yield invalidValue(`${part}[${key}]`, key, fault);
    }
  }
}

function* validateImmutable(next: JsonObject, old: JsonObject): Generator<FieldError> {
  if (old['immutable'] !== true) return;
  const fixed = 'field is immutable when `immutable` is set';
  if (next['immutable'] !== true) yield forbiddenField('immutable', fixed);
  for (const part of ['data', 'binaryData']) if (!equal(next[part], old[part])) yield forbiddenField(part, fixed);
}

export const secretStrategy: Strategy = {
  ...standard,
  setDefaults(secret) {
    setDefault(secret, 'type', 'Opaque');
    const texts = secret['stringData'];
    if (!isObject(texts)) return;
    const data = ensureObject(secret, 'data');
    for (const [key, value] of Object.entries(texts)) {
      if (isString(value)) data[key] = Buffer.from(value).toString('base64');
    }
    delete secret['stringData'];
  },
  validate: (secret) => [...validateKeys(secret)],
  validateUpdate: (next, old) => [...validateType(next, old), ...validateImmutable(next, old), ...validateKeys(next)],
  fields: { type: (secret) => textAt(secret, 'type') },
};

function* validateType(next: JsonObject, old: JsonObject): Generator<FieldError> {
  if (next['type'] !== old['type']) yield invalidValue('type', next['type'], 'field is immutable');
}

export const serviceStrategy: Strategy = {
  ...standard,
  name: labelName,
  returnsDeleted: true,
  createOnUpdate: true,
  setDefaults(service) {
    const spec = ensureObject(service, 'spec');
    setDefault(spec, 'sessionAffinity', 'None');
    setDefault(spec, 'type', 'ClusterIP');
    if (spec['type'] !== 'ExternalName') setDefault(spec, 'internalTrafficPolicy', 'Cluster');
    for (const port of listAt(spec, 'ports').filter(isObject)) {
      setDefault(port, 'protocol', 'TCP');
      if (port['targetPort'] === undefined || port['targetPort'] === 0) port['targetPort'] = port['port'];
    }
  },
  prepareCreate(service, { clusterAddress }) {
    const spec = ensureObject(service, 'spec');
    service['status'] = { loadBalancer: {} };
    if (spec['type'] === 'ExternalName') return;
    setDefault(spec, 'clusterIP', clusterAddress());
    setDefault(spec, 'clusterIPs', [spec['clusterIP'] ?? '']);
    // A headless service without pods of its own may have any addresses.
    const isOpen = spec['clusterIP'] === 'None' && Object.keys(objectAt(spec, 'selector')).length === 0;
    setDefault(spec, 'ipFamilies', isOpen ? ['IPv4', 'IPv6'] : ['IPv4']);
    setDefault(spec, 'ipFamilyPolicy', isOpen ? 'RequireDualStack' : 'SingleStack');
  },
  prepareUpdate(next, old) {
    const spec = ensureObject(next, 'spec');
    for (const name of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) {
      const given = objectAt(old, 'spec')[name];
      if (spec[name] === undefined && given !== undefined) spec[name] = given;
    }
  },
  validate: (service) => [...validatePorts(service)],
  validateUpdate: (next, old) => [...validateAddress(next, old), ...validatePorts(next)],
  fields: {
    'spec.clusterIP': (service) => textAt(service, 'spec', 'clusterIP'),
    'spec.type': (service) => textAt(service, 'spec', 'type'),
  },
};

function* validatePorts(service: JsonObject): Generator<FieldError> {
  const spec = objectAt(service, 'spec');
  const ports = listAt(spec, 'ports');
  if (ports.length === 0 && spec['clusterIP'] !== 'None' && spec['type'] !== 'ExternalName')
    yield required('spec.ports');
  for (const [index, port] of ports.entries()) {
    const number = numberAt(port, 'port') ?? 0;
    if (ports.length > 1 && textAt(port, 'name') === '') yield required(`spec.ports[${index}].name`);
    if (number < 1 || number > 65535) {
      yield invalidValue(`spec.ports[${index}].port`, number, 'must be between 1 and 65535, inclusive');
    }
    const target = numberAt(port, 'targetPort');
    if (target !== undefined && (target < 1 || target > 65535)) {
      yield invalidValue(`spec.ports[${index}].targetPort`, target, 'must be between 1 and 65535, inclusive');
    }
  }
}

function* validateAddress(next: JsonObject, old: JsonObject): Generator<FieldError> {
  const address = at(next, 'spec', 'clusterIPs');
  const before = at(old, 'spec', 'clusterIPs');
  if (!equal(address, before)) {
    yield invalidValue('spec.clusterIPs[0]', address, 'may not change once set');
  }
}

export const quotaStrategy: Strategy = {
  ...standard,
  returnsDeleted: true,
  prepareCreate(quota) {
    quota['status'] = {};
  },
};

export const serviceAccountStrategy: Strategy = { ...standard, returnsDeleted: true };

export const leaseStrategy: Strategy = {
  ...standard,
  unconditionalUpdate: false,
  createOnUpdate: true,
  validate: (lease) => [...validateLease(lease)],
  validateUpdate: (lease) => [...validateLease(lease)],
};

function* validateLease(lease: JsonObject): Generator<FieldError> {
  const spec = objectAt(lease, 'spec');
  const duration = numberAt(spec, 'leaseDurationSeconds');
  if (duration !== undefined && duration <= 0) {
    yield invalidValue('spec.leaseDurationSeconds', duration, 'must be greater than 0');
  }
  const transitions = numberAt(spec, 'leaseTransitions');
  if (transitions !== undefined && transitions < 0) {
    yield invalidValue('spec.leaseTransitions', transitions, 'must be greater than or equal to 0');
  }
}

export const budgetStrategy: Strategy = {
  ...standard,
  generation: true,
  unconditionalUpdate: false,
  validate: (budget) => [...validateBudget(budget)],
  validateUpdate: (budget) => [...validateBudget(budget)],
};

const percentage = /^[0-9]+%$/;

function* validateBudget(budget: JsonObject): Generator<FieldError> {
  const spec = objectAt(budget, 'spec');
  const { minAvailable, maxUnavailable } = spec;
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    yield invalidValue('spec', goSpec(spec), 'minAvailable and maxUnavailable cannot be both set');
  }
  for (const [name, value] of Object.entries({ minAvailable, maxUnavailable }))
    yield* validateCount(`spec.${name}`, value);
  yield* validateLabelSelector(spec['selector'], 'spec.selector');
  const policy = textAt(spec, 'unhealthyPodEvictionPolicy');
  const policies = ['AlwaysAllow', 'IfHealthyBudget'];
  if (policy !== '' && !policies.includes(policy))
    yield unsupported('spec.unhealthyPodEvictionPolicy', policy, policies);
}

/** The spec as Go names its fields. */
const goSpec = (spec: JsonObject): JsonValue => ({
  MinAvailable: spec['minAvailable'] ?? null,
  Selector: spec['selector'] ?? null,
  MaxUnavailable: spec['maxUnavailable'] ?? null,
  UnhealthyPodEvictionPolicy: spec['unhealthyPodEvictionPolicy'] ?? null,
});

function* validateCount(path: string, value: JsonValue | undefined): Generator<FieldError> {
  if (typeof value === 'number' && value < 0) yield invalidValue(path, value, 'must be greater than or equal to 0');
  if (!isString(value)) return;
  if (!percentage.test(value)) {
    yield invalidValue(
      path,
      value,
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
    );
  } else if (Number(value.slice(0, -1)) > 100) yield invalidValue(path, value, 'must not be greater than 100%');
}

/** A label selector inside an object. */
function* validateLabelSelector(selector: JsonValue | undefined, path: string): Generator<FieldError> {
  for (const [key, value] of Object.entries(objectAt(selector, 'matchLabels'))) {
    const fault = qualifiedName(key);
    if (fault !== undefined) yield invalidValue(`${path}.matchLabels`, key, fault);
    const wrong = labelValue(printed(value));
    if (wrong !== undefined) yield invalidValue(`${path}.matchLabels`, value, wrong);
  }
  for (const [index, expression] of listAt(selector, 'matchExpressions').entries()) {
    const where = `${path}.matchExpressions[${index}]`;
    const operator = textAt(expression, 'operator');
    const values = listAt(expression, 'values');
    if (['In', 'NotIn'].includes(operator)) {
      if (values.length === 0)
        yield required(`${where}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
    } else if (['Exists', 'DoesNotExist'].includes(operator)) {
      if (values.length > 0) {
        yield forbiddenField(`${where}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      }
    } else yield invalidValue(`${where}.operator`, operator, 'not a valid selector operator');
    const fault = qualifiedName(textAt(expression, 'key'));
    if (fault !== undefined) yield invalidValue(`${where}.key`, textAt(expression, 'key'), fault);
  }
}

export const webhookConfigurationStrategy: Strategy = {
  ...standard,
  generation: true,
  unconditionalUpdate: false,
  setDefaults(configuration) {
    for (const webhook of listAt(configuration, 'webhooks').filter(isObject)) {
      setDefault(webhook, 'failurePolicy', 'Fail');
      setDefault(webhook, 'matchPolicy', 'Equivalent');
      ensureObject(webhook, 'namespaceSelector');
      ensureObject(webhook, 'objectSelector');
      setDefault(webhook, 'timeoutSeconds', 10);
      const service = at(webhook, 'clientConfig', 'service');
      if (isObject(service)) setDefault(service, 'port', 443);
      for (const rule of listAt(webhook, 'rules').filter(isObject)) setDefault(rule, 'scope', '*');
    }
  },
  validate: (configuration) => [...validateWebhooks(configuration)],
  validateUpdate: (configuration) => [...validateWebhooks(configuration)],
};

const harmless = ['None', 'NoneOnDryRun'];

function* validateWebhooks(configuration: JsonObject): Generator<FieldError> {
  for (const [index, webhook] of listAt(configuration, 'webhooks').entries()) {
    const path = `webhooks[${index}]`;
    const effects = textAt(webhook, 'sideEffects');
    if (effects === '') yield required(`${path}.sideEffects`, 'must specify one of None, NoneOnDryRun');
    else if (!harmless.includes(effects)) yield unsupported(`${path}.sideEffects`, effects, harmless);
    if (listAt(webhook, 'admissionReviewVersions').length === 0) {
      yield required(`${path}.admissionReviewVersions`, 'must specify one of v1, v1beta1');
    }
    const timeout = numberAt(webhook, 'timeoutSeconds') ?? 10;
    if (timeout > 30 || timeout < 1) {
      yield invalidValue(`${path}.timeoutSeconds`, timeout, 'the timeout value must be between 1 and 30 seconds');
    }
  }
}

const referenceFields = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

const involved = (name: string) => (event: JsonObject) => textAt(event, 'involvedObject', name);

/** Events are named by whoever writes them, and nothing in them is worth a refusal. */
export const eventStrategy: Strategy = {
  ...standard,
  name: pathSegmentName,
  createOnUpdate: true,
  collectsGarbage: false,
  fields: {
    ...Object.fromEntries(referenceFields.map((name) => [`involvedObject.${name}`, involved(name)])),
    reason: (event) => textAt(event, 'reason'),
    reportingComponent: (event) => textAt(event, 'reportingComponent'),
    source: (event) => textAt(event, 'source', 'component'),
    type: (event) => textAt(event, 'type'),
  },
};
