import { z } from 'zod';

/** The words of JSON Schema that ours is written in. A new one is a fault of this file, so that nothing goes unchecked. */
const schemaOf = z.strictObject({
  $schema: z.string().optional(),
  description: z.string().optional(),
  default: z.unknown().optional(),
  format: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  pattern: z.string().optional(),
  minLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  propertyNames: z.unknown().optional(),
  required: z.array(z.string()).optional(),
  additionalProperties: z.unknown().optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
});

/** Where a document does not fit a JSON Schema. Only as much of JSON Schema as ours needs. */
export function schemaFaults(schema: unknown, value: unknown, path = ''): string[] {
  const rules = schemaOf.parse(schema);
  if (rules.anyOf !== undefined) {
    return rules.anyOf.some((branch) => schemaFaults(branch, value, path).length === 0) ? [] : [path];
  }
  const types = rules.type === undefined ? [] : [rules.type].flat();
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) return [path];
  if (rules.enum !== undefined && !rules.enum.includes(value)) return [path];
  if (rules.const !== undefined && rules.const !== value) return [path];
  if (typeof value === 'string') {
    const fits = value.length >= (rules.minLength ?? 0) && new RegExp(rules.pattern ?? '', 'u').test(value);
    return fits ? [] : [path];
  }
  if (typeof value === 'number') {
    return value >= (rules.minimum ?? -Infinity) && value <= (rules.maximum ?? Infinity) ? [] : [path];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => schemaFaults(rules.items ?? {}, item, `${path}[${index}]`));
  }
  return typeof value === 'object' && value !== null ? inObject(rules, value, path) : [];
}

function inObject(rules: z.output<typeof schemaOf>, value: object, path: string): string[] {
  const { properties = {}, required = [], additionalProperties = {} } = rules;
  const at = (field: string) => (path === '' ? field : `${path}.${field}`);
  const missing = required.filter((field) => !(field in value)).map((field) => `${at(field)} is missing`);
  const members = Object.entries(value).flatMap(([field, member]: [string, unknown]) => {
    const known = properties[field] ?? additionalProperties;
    return known === false ? [`${at(field)} is unknown`] : schemaFaults(known, member, at(field));
  });
  return [...missing, ...members];
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    default:
      return typeof value === type;
  }
}
