import { z } from 'zod';
import { celRule } from './rule.ts';

const json = z.json();

/**
 * What a schema in a CRD may say. It is narrower than Kubernetes allows: no `anyOf` and its kin, which are structural only
 * with much repetition, and no `pattern`, because a CEL rule has a sentence where a pattern has none.
 */
export const structuralSchema = z.strictObject({
  type: z.enum(['object', 'array', 'string', 'integer', 'number', 'boolean']).optional(),
  description: z.string().optional(),
  format: z.enum(['int32', 'int64', 'date-time']).optional(),
  nullable: z.boolean().optional(),
  default: json.optional(),
  enum: z.array(z.string()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  maxProperties: z.number().optional(),
  required: z.array(z.string()).optional(),
  get properties() {
    return z.record(z.string(), structuralSchema).optional();
  },
  get items() {
    return structuralSchema.optional();
  },
  get additionalProperties() {
    return structuralSchema.optional();
  },
  'x-kubernetes-int-or-string': z.boolean().optional(),
  'x-kubernetes-preserve-unknown-fields': z.boolean().optional(),
  'x-kubernetes-list-type': z.enum(['atomic', 'map', 'set']).optional(),
  'x-kubernetes-list-map-keys': z.array(z.string()).optional(),
  'x-kubernetes-map-type': z.enum(['atomic', 'granular']).optional(),
  'x-kubernetes-validations': z.array(celRule).optional(),
});
export type StructuralSchema = z.output<typeof structuralSchema>;

/** A schema that cannot stand in a CRD: a fault of ours, found when CRDs are generated. */
export class NotStructuralError extends Error {
  override readonly name = 'NotStructuralError';
  readonly code = 'NotStructural';
  readonly violations: readonly string[];

  constructor(subject: string, violations: readonly string[]) {
    super(`${subject} cannot stand in a CRD:\n${violations.map((violation) => `  ${violation}`).join('\n')}`);
    this.violations = violations;
  }
}

/** The Kubernetes form of a zod schema, as the API server is to judge what people send. Throws NotStructuralError. */
export function toStructuralSchema(subject: string, schema: z.ZodType): StructuralSchema {
  const drawn = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    reused: 'inline',
    cycles: 'throw',
    unrepresentable: 'throw',
    override: ({ jsonSchema }) => rewrite(jsonSchema),
  });
  const parsed = structuralSchema.safeParse(drawn);
  if (parsed.success) return parsed.data;
  const violations = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new NotStructuralError(subject, violations);
}

/** Takes out what zod writes and Kubernetes refuses, or says better. */
function rewrite(schema: z.core.JSONSchema.BaseSchema): void {
  // `text` carries its form as a CEL rule, and date-time has a format.
  delete schema.pattern;
  // A null default is no default: the API server drops it, and then reports the CRD as changed for ever.
  if (schema.default === null) delete schema.default;
  if (schema.nullable === true && schema.enum !== undefined) choiceOrNull(schema, schema.enum.map(String));
  // zod bounds whole numbers by what JavaScript can count; the wire has no such bound.
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  // A union says in its meta which Kubernetes type stands for it.
  if (schema.type !== undefined || schema['x-kubernetes-int-or-string'] === true) delete schema.anyOf;
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) delete schema.additionalProperties;
}

/** A choice that may be null, as a rule: the API server lets null past `nullable`, but never past `enum`, not even where it lists null. */
function choiceOrNull(schema: z.core.JSONSchema.BaseSchema, choices: readonly string[]): void {
  delete schema.enum;
  schema.maxLength = Math.max(...choices.map((choice) => choice.length));
  schema['x-kubernetes-validations'] = [
    {
      rule: `self in [${choices.map((choice) => `'${choice}'`).join(', ')}]`,
      message: `must be null or one of ${choices.join(', ')}`,
    },
  ];
}
