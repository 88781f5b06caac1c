import { duplicate, type FieldError, invalidValue, required, unsupported } from '../field-error.ts';
import { at, type JsonObject, listAt, textAt } from '../json.ts';
import { labelValue, qualifiedName } from '../name-rules.ts';
import type { Strategy } from '../resource-definition.ts';
import { ensureObject } from './pod-spec-defaults.ts';
import { standard } from './standard-strategy.ts';

const notReady = 'node.kubernetes.io/not-ready';

/** Nodes: the status may be set on creation, and a new node is tainted until somebody calls it ready. */
export const nodeStrategy: Strategy = {
  ...standard,
  prepareCreate(node) {
    const spec = ensureObject(node, 'spec');
    const taints = listAt(spec, 'taints');
    // The TaintNodesByCondition admission plugin.
    if (!taints.some((taint) => textAt(taint, 'key') === notReady && textAt(taint, 'effect') === 'NoSchedule')) {
      spec['taints'] = [...taints, { key: notReady, effect: 'NoSchedule' }];
    }
  },
  validate: (node) => [...validateTaints(node)],
  validateUpdate: (node) => [...validateTaints(node)],
  fields: { 'spec.unschedulable': (node) => String(at(node, 'spec', 'unschedulable') === true) },
};

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function* validateTaints(node: JsonObject): Generator<FieldError> {
  const seen = new Set<string>();
  for (const [index, taint] of listAt(node, 'spec', 'taints').entries()) {
    // Not a slip of ours: the real server says metadata.
    const path = `metadata.taints[${index}]`;
    const key = textAt(taint, 'key');
    const fault = qualifiedName(key);
    if (fault !== undefined) yield invalidValue(`${path}.key`, key, fault);
    const wrongValue = labelValue(textAt(taint, 'value'));
    if (wrongValue !== undefined) yield invalidValue(`${path}.value`, textAt(taint, 'value'), wrongValue);
    const effect = textAt(taint, 'effect');
    if (effect === '') yield required(`${path}.effect`);
    else if (!effects.includes(effect)) yield unsupported(`${path}.effect`, effect, effects);
    const identity = `${key}:${effect}`;
    if (seen.has(identity)) yield duplicate(path, taint);
    seen.add(identity);
  }
}
