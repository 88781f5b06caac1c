import { metadataFields, parseFieldSelector } from './field-selector.ts';
import type { JsonObject } from './json.ts';
import { textAt } from './json.ts';
import { type LabelMatch, labelsOf, parseLabelSelector } from './label-selector.ts';
import type { RequestInfo } from './request-info.ts';
import type { ResourceDefinition } from './resource-definition.ts';

/** Which objects of a collection a list, a watch or a delete is about. */
export interface Selection {
  readonly namespace: string | undefined;
  readonly matches: (object: JsonObject) => boolean;
  /** False where only the namespace selects, so that counts are known without looking. */
  readonly isSelective: boolean;
}

/** Throws the API server's 400 for selectors that it cannot read. */
export function selectionOf(definition: ResourceDefinition, info: RequestInfo): Selection {
  const labelText = info.query.get('labelSelector') ?? '';
  const fieldText = info.query.get('fieldSelector') ?? '';
  const labels: LabelMatch | undefined = labelText === '' ? undefined : parseLabelSelector(labelText);
  const fields = fieldText === '' ? undefined : fieldMatch(definition, fieldText);
  const { name } = info;
  return {
    namespace: definition.namespaced ? info.namespace : undefined,
    isSelective: labels !== undefined || fields !== undefined || name !== undefined,
    matches: (object) =>
      (name === undefined || textAt(object, 'metadata', 'name') === name) &&
      (labels === undefined || labels(labelsOf(object))) &&
      (fields === undefined || fields(object)),
  };
}

function fieldMatch(definition: ResourceDefinition, text: string): (object: JsonObject) => boolean {
  const own = definition.strategy.fields ?? {};
  const hasOwnFields = Object.keys(own).length > 0 || definition.custom !== undefined;
  const parsed = parseFieldSelector(text, Object.keys(own), definition.namespaced || !hasOwnFields, hasOwnFields);
  return (object) => {
    const values: Record<string, string> = { ...metadataFields(object) };
    for (const [field, read] of Object.entries(own)) values[field] = read(object);
    return parsed.matches(values);
  };
}
