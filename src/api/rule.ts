import { z } from 'zod';

/** The key under which a schema carries its CEL rules into the CRD. */
const celKey = 'x-kubernetes-validations';

/** A CEL rule as it stands in a CRD. */
export const celRule = z.strictObject({
  rule: z.string(),
  message: z.string(),
  fieldPath: z.string().optional(),
});
export type CelRule = z.output<typeof celRule>;

/** A judgement that types cannot make, said twice: in CEL for the API server, in TypeScript for everyone else. */
export interface Rule<T> {
  readonly cel: string;
  /** One sentence for the person whose object is refused: names the field, says what is right. */
  readonly message: string;
  /** The member at fault, as CEL writes it: `.etcd`. Absent: the value itself. */
  readonly fieldPath?: `.${string}`;
  readonly holds: (value: T) => boolean;
}

/** A judgement on a change. Only the API server can make it: nobody else sees the old object. */
export interface TransitionRule {
  readonly cel: string;
  readonly message: string;
  readonly fieldPath?: `.${string}`;
}

/** The schema, refusing what breaks a rule, and carrying the rules into the CRD. */
export function withRules<S extends z.ZodType>(schema: S, ...rules: readonly Rule<z.output<S>>[]): S {
  let checked = schema;
  for (const rule of rules) {
    const path = rule.fieldPath === undefined ? [] : [rule.fieldPath.slice(1)];
    checked = checked.check(z.refine(rule.holds, { message: rule.message, path }));
  }
  return withCel(checked, rules);
}

/** The schema, carrying rules on changes into the CRD. */
export function withTransitionRules<S extends z.ZodType>(schema: S, ...rules: readonly TransitionRule[]): S {
  return withCel(schema, rules);
}

function withCel<S extends z.ZodType>(schema: S, rules: readonly TransitionRule[]): S {
  const earlier = z.array(celRule).parse(schema.meta()?.[celKey] ?? []);
  const added = rules.map(
    ({ cel, message, fieldPath }): CelRule =>
      fieldPath === undefined ? { rule: cel, message } : { rule: cel, message, fieldPath },
  );
  return schema.meta({ [celKey]: [...earlier, ...added] });
}
