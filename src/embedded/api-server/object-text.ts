import { type JsonObject, without } from './json.ts';
import { apiVersionOf, type ResourceDefinition } from './resource-definition.ts';

/**
 * Objects as text, each made once: a hundred watches of one pod share one string. Objects of the store are never changed, so the text stays
 * true as long as the object lives.
 */
export class ObjectTexts {
  readonly #texts = new WeakMap<ResourceDefinition, WeakMap<JsonObject, string>>();

  /** The stored object as this version of its kind shows it. */
  text(definition: ResourceDefinition, stored: JsonObject): string {
    let texts = this.#texts.get(definition);
    if (texts === undefined) {
      texts = new WeakMap();
      this.#texts.set(definition, texts);
    }
    let text = texts.get(stored);
    if (text === undefined) {
      text = JSON.stringify(asServed(definition, stored));
      texts.set(stored, text);
    }
    return text;
  }

  /** As an item of a list: items of built-in kinds do not say what they are. */
  item(definition: ResourceDefinition, stored: JsonObject): string {
    const text = this.text(definition, stored);
    return definition.custom === undefined ? `{${text.slice(headOf(definition).length)}` : text;
  }
}

const headOf = (definition: ResourceDefinition) =>
  `{"kind":${JSON.stringify(definition.kind)},"apiVersion":${JSON.stringify(apiVersionOf(definition))},`;

/** The object in the form of a served version, with its kind in front. */
export function asServed(definition: ResourceDefinition, stored: JsonObject): JsonObject {
  const viewed = definition.view === undefined ? stored : definition.view.fromStored(stored);
  return { kind: definition.kind, apiVersion: apiVersionOf(definition), ...without(viewed, 'kind', 'apiVersion') };
}
