import { apiVersionOf, type ResourceDefinition } from './resource-definition.ts';

/** Every kind that is served now. Definitions come and go with CustomResourceDefinitions. */
export class KindRegistry {
  readonly #definitions = new Map<string, ResourceDefinition>();
  /** Counts changes, so that discovery can be made anew when it must. */
  generation = 0;

  constructor(definitions: readonly ResourceDefinition[]) {
    for (const definition of definitions) this.add(definition);
  }

  add(definition: ResourceDefinition): void {
    this.#definitions.set(keyOf(definition.group, definition.version, definition.plural), definition);
    this.generation += 1;
  }

  remove(group: string, plural: string): void {
    for (const [key, definition] of this.#definitions) {
      if (definition.group === group && definition.plural === plural) this.#definitions.delete(key);
    }
    this.generation += 1;
  }

  find(group: string, version: string, plural: string): ResourceDefinition | undefined {
    return this.#definitions.get(keyOf(group, version, plural));
  }

  /** By what objects say of themselves. */
  findKind(apiVersion: string, kind: string): ResourceDefinition | undefined {
    return this.#first((each) => each.kind === kind && apiVersionOf(each) === apiVersion);
  }

  /** The first of the versions under which a collection is served. */
  findStored(storage: string): ResourceDefinition | undefined {
    return this.#first((each) => each.storage === storage);
  }

  all(): ResourceDefinition[] {
    return [...this.#definitions.values()];
  }

  hasGroupVersion(group: string, version: string): boolean {
    return this.#first((each) => each.group === group && each.version === version) !== undefined;
  }

  #first(is: (definition: ResourceDefinition) => boolean): ResourceDefinition | undefined {
    for (const definition of this.#definitions.values()) if (is(definition)) return definition;
    return undefined;
  }
}

const keyOf = (group: string, version: string, plural: string) => `${group}/${version}/${plural}`;
