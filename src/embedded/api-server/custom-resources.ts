import { customTable } from './custom/printer-columns.ts';
import { hasRules, ruleFaults } from './custom/rule-validation.ts';
import { structuralFaults } from './custom/structural-validation.ts';
import { pruneAndDefault } from './custom/structural-values.ts';
import type { FieldError } from './field-error.ts';
import { at, clone, isObject, isString, type JsonObject, listAt, objectAt, textAt } from './json.ts';
import { standard } from './kinds/standard-strategy.ts';
import { Later } from './later.ts';
import { apiVersionOf, type CustomKind, type ResourceDefinition, type View } from './resource-definition.ts';
import { compileSchema } from './schema.ts';
import type { Change, Stored } from './store.ts';
import type { World } from './world.ts';

const definitions = 'customresourcedefinitions.apiextensions.k8s.io';

/** Serves what CustomResourceDefinitions define, from the moment at which they are stored until they are gone. */
export class CustomResources {
  readonly #world: World;
  readonly #stop: () => void;
  readonly #later: Later;

  constructor(world: World) {
    this.#world = world;
    this.#later = new Later(world.clock);
    this.#stop = world.store.listen((collection, change) => {
      if (collection === definitions) this.#see(change);
    });
  }

  stop(): void {
    this.#stop();
    this.#later.stop();
  }

  #see({ type, stored }: Change): void {
    const { kinds, store } = this.#world;
    const spec = objectAt(stored.object, 'spec');
    const group = textAt(spec, 'group');
    const plural = textAt(spec, 'names', 'plural');
    kinds.remove(group, plural);
    if (type === 'DELETED') {
      store.drop(`${plural}.${group}`);
      return;
    }
    for (const definition of definitionsOf(stored.object)) kinds.add(definition);
    if (listAt(stored.object, 'status', 'conditions').length === 0) {
      this.#later.do(() => this.#establish(textAt(stored.object, 'metadata', 'name')));
    }
  }

  /** What two controllers of the real server write when the names are free, which they always are here. */
  #establish(name: string): void {
    const { store } = this.#world;
    const stored: Stored | undefined = store.collection(definitions).get('', name);
    if (stored === undefined || listAt(stored.object, 'status', 'conditions').length > 0) return;
    const next = clone(stored.object);
    const now = this.#world.now();
    next['status'] = {
      conditions: [
        {
          type: 'NamesAccepted',
          status: 'True',
          lastTransitionTime: now,
          reason: 'NoConflicts',
          message: 'no conflicts found',
        },
        {
          type: 'Established',
          status: 'True',
          lastTransitionTime: now,
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        },
      ],
      acceptedNames: objectAt(next, 'spec', 'names'),
      storedVersions: [...listAt(next, 'status', 'storedVersions')],
    };
    store.put(definitions, next, stored);
  }
}

/** The served versions of a definition. */
function definitionsOf(definition: JsonObject): ResourceDefinition[] {
  const spec = objectAt(definition, 'spec');
  const versions = listAt(spec, 'versions').filter(isObject);
  const stored = versions.find((version) => version['storage'] === true) ?? {};
  return versions.filter((version) => version['served'] === true).map((version) => definitionOf(spec, version, stored));
}

function definitionOf(spec: JsonObject, version: JsonObject, storedVersion: JsonObject): ResourceDefinition {
  const names = objectAt(spec, 'names');
  const group = textAt(spec, 'group');
  const plural = textAt(names, 'plural');
  const kind = textAt(names, 'kind');
  const subresources = objectAt(version, 'subresources');
  const name = textAt(version, 'name');
  const schema = compileSchema(objectAt(version, 'schema', 'openAPIV3Schema'));
  return {
    group,
    version: name,
    kind,
    listKind: textAt(names, 'listKind'),
    plural,
    singular: textAt(names, 'singular'),
    shortNames: listAt(names, 'shortNames').filter(isString),
    categories: listAt(names, 'categories').filter(isString),
    namespaced: textAt(spec, 'scope') === 'Namespaced',
    storage: `${plural}.${group}`,
    schema,
    schemaName: `${group.split('.').toReversed().join('.')}.${name}.${kind}`,
    custom: customKind(version, schema),
    subresources: ['status', 'scale'].filter((each) => isObject(subresources[each])),
    strategy: { ...standard, generation: true, unconditionalUpdate: false, ...selectable(version) },
    view: versionView(group, name, textAt(storedVersion, 'name')),
    table: customTable(version),
  };
}

function customKind(version: JsonObject, schema: ResourceDefinition['schema']): CustomKind {
  const scale = objectAt(version, 'subresources')['scale'];
  const hasAnyRules = hasRules(schema);
  return {
    raw: objectAt(version, 'schema', 'openAPIV3Schema'),
    decode: (object, unknown) => pruneAndDefault(object, schema, unknown),
    validate: (object, old) => {
      const faults = [...structuralFaults(object, old, schema), ...scaleFaults(object, scale)];
      if (!faults.some(({ reason }) => blocking.has(reason))) return [...faults, ...ruleFaults(object, old, schema)];
      return hasAnyRules ? [...faults, notChecked] : faults;
    },
    scale: isObject(scale)
      ? {
          spec: textAt(scale, 'specReplicasPath'),
          status: textAt(scale, 'statusReplicasPath'),
          selector: textAt(scale, 'labelSelectorPath') || undefined,
        }
      : undefined,
  };
}

/** The number that the scale subresource would show must be one. */
function scaleFaults(object: JsonObject, scale: JsonObject[string]): FieldError[] {
  const path = textAt(scale, 'specReplicasPath');
  const value = path === '' ? undefined : at(object, ...path.split('.').slice(1));
  if (!isString(value)) return [];
  const message = `Invalid value: 0: ${path} accessor error: ${value} is of the type string, expected int64`;
  return [{ reason: 'FieldValueInvalid', field: path, message }];
}

/** Faults after which rules could not be relied on. */
const blocking = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** Rules are not asked about an object that has not even the right shape. */
const notChecked = {
  reason: 'FieldValueInvalid',
  field: '<nil>',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

function selectable(version: JsonObject): Pick<ResourceDefinition['strategy'], 'fields'> {
  const paths = listAt(version, 'selectableFields').map((field) => textAt(field, 'jsonPath').replace(/^\./, ''));
  if (paths.length === 0) return {};
  const read = (path: string) => (object: JsonObject) => textAt(object, ...path.split('.'));
  return { fields: Object.fromEntries(paths.map((path) => [path, read(path)])) };
}

/** Versions differ in nothing but their name: conversion by webhook is not played here. */
function versionView(group: string, version: string, stored: string): View {
  const named = (object: JsonObject, name: string) => ({
    ...object,
    apiVersion: apiVersionOf({ group, version: name }),
  });
  return { fromStored: (object) => named(object, version), toStored: (object) => named(object, stored) };
}
