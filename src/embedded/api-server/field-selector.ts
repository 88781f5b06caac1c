import type { JsonObject } from './json.ts';
import { textAt } from './json.ts';
import { badRequest } from './status-error.ts';

/** The fields of an object that can be selected by, with their values. */
export type SelectableFields = (object: JsonObject) => Readonly<Record<string, string>>;

/** `spec.nodeName=n1,status.phase!=Failed`. Throws the API server's 400 for a field that the kind does not offer. */
export function parseFieldSelector(
  text: string,
  offered: readonly string[],
  hasNamespace: boolean,
  hasOwnFields: boolean,
): { readonly matches: (fields: Readonly<Record<string, string>>) => boolean; readonly name: string | undefined } {
  const requirements = text
    .split(/(?<!\\),/)
    .filter((part) => part.trim() !== '')
    .map(parseRequirement);
  const known = new Set(['metadata.name', ...(hasNamespace ? ['metadata.namespace'] : []), ...offered]);
  for (const { field } of requirements) if (!known.has(field)) throw badRequest(unknownField(field, hasOwnFields));
  return {
    matches: (fields) =>
      requirements.every(({ field, value, negated }) => ((fields[field] ?? '') === value) !== negated),
    name: requirements.find(({ field, negated }) => field === 'metadata.name' && !negated)?.value,
  };
}

function unknownField(field: string, hasOwnFields: boolean): string {
  // Kinds without fields of their own say so; the others do not list what they have.
  return hasOwnFields
    ? `field label not supported: ${field}`
    : `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

function parseRequirement(part: string): { field: string; value: string; negated: boolean } {
  const match = /^(.*?)(!=|==|=)(.*)$/s.exec(part);
  if (match === null) throw badRequest(`invalid selector: '${part}'; can't understand '${part}'`);
  const [, field = '', operator = '', value = ''] = match;
  return { field: field.trim(), value: value.replaceAll(/\\([\\,=])/g, '$1'), negated: operator === '!=' };
}

/** What every kind can be selected by. */
export const metadataFields: SelectableFields = (object) => ({
  'metadata.name': textAt(object, 'metadata', 'name'),
  'metadata.namespace': textAt(object, 'metadata', 'namespace'),
});
