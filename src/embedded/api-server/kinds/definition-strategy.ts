import { type FieldError, invalidValue, required } from '../field-error.ts';
import { isObject, type JsonObject, listAt, objectAt, textAt } from '../json.ts';
import type { Strategy } from '../resource-definition.ts';
import { ensureObject, setDefault } from './pod-spec-defaults.ts';
import { standard } from './standard-strategy.ts';

/** CustomResourceDefinitions. Names and conditions are accepted by the controller that serves them, see `custom-resources.ts`. */
export const customResourceDefinitionStrategy: Strategy = {
  ...standard,
  generation: true,
  unconditionalUpdate: false,
  setDefaults(definition) {
    const spec = ensureObject(definition, 'spec');
    const names = ensureObject(spec, 'names');
    const kind = textAt(names, 'kind');
    if (textAt(names, 'singular') === '') names['singular'] = kind.toLowerCase();
    if (textAt(names, 'listKind') === '' && kind !== '') names['listKind'] = `${kind}List`;
    if (spec['conversion'] === undefined) spec['conversion'] = { strategy: 'None' };
    const url = spec['conversion'];
    if (isObject(url)) setDefault(url, 'strategy', 'None');
  },
  prepareCreate(definition) {
    const stored = listAt(definition, 'spec', 'versions')
      .filter((version) => objectAt(version)['storage'] === true)
      .map((version) => textAt(version, 'name'));
    definition['status'] = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: stored };
  },
  validate: (definition) => [...validateDefinition(definition)],
  validateUpdate: (definition) => [...validateDefinition(definition)],
};

function* validateDefinition(definition: JsonObject): Generator<FieldError> {
  const spec = objectAt(definition, 'spec');
  const wanted = `${textAt(spec, 'names', 'plural')}.${textAt(spec, 'group')}`;
  const name = textAt(definition, 'metadata', 'name');
  if (name !== wanted) yield invalidValue('metadata.name', name, `must be spec.names.plural+"."+spec.group`);
  const stored = listAt(spec, 'versions').filter((version) => objectAt(version)['storage'] === true);
  if (stored.length !== 1) {
    yield invalidValue('spec.versions', null, 'must have exactly one version marked as storage version');
  }
  for (const [index, version] of listAt(spec, 'versions').entries()) {
    if (objectAt(version, 'schema', 'openAPIV3Schema')['type'] === undefined) {
      yield required(`spec.versions[${index}].schema.openAPIV3Schema`, 'schemas are required');
    }
  }
}
