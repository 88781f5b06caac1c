import { z } from 'zod';
import { withRules } from './rule.ts';

/**
 * Text of one form. A CEL rule stands in for the schema's `pattern`, because the API server answers a broken pattern with
 * the regular expression, and a broken rule with our sentence.
 */
export function text(form: {
  readonly pattern: RegExp;
  readonly maxLength: number;
  readonly says: string;
}): z.ZodString {
  return withRules(z.string().max(form.maxLength), {
    cel: `self.matches(r'${form.pattern.source.replaceAll('\\/', '/')}')`,
    message: form.says,
    holds: (value) => form.pattern.test(value),
  });
}

/** Text in Drover's or the engine's own words, cut to a length by whoever writes it. */
export function freeText(maxLength: number): z.ZodString {
  return z.string().max(maxLength);
}

/** The largest whole number of a 32 bit field; Kubernetes' own counts and seconds end there too. */
const int32Max = 2_147_483_647;

/** A whole number that 32 bits hold. */
export function wholeNumber(range: { readonly min: number; readonly max?: number }): z.ZodInt {
  return z
    .int()
    .min(range.min)
    .max(range.max ?? int32Max);
}

/** A span in whole seconds, from 0 to about 68 years. */
export function seconds(): z.ZodInt {
  return wholeNumber({ min: 0 });
}

/** A moment in a status, as RFC 3339 writes it. */
export function instant(): z.ZodISODateTime {
  return z.iso.datetime({ offset: true });
}

/**
 * A moment that a person writes. A rule stands in for `format: date-time`, because the API server lets a list or a number
 * past that format.
 */
export function writtenInstant(): z.ZodString {
  return text({
    pattern: z.core.regexes.datetime({ offset: true, precision: null, local: false }),
    maxLength: 40,
    says: 'must be a time with its zone, such as 2026-11-15T06:00:00Z or 2026-11-15T07:00:00+01:00',
  });
}

/** Part of another kind's object. Kept as it is, whatever it holds: the API server that owns that kind judges it. */
export function foreignObject(): z.ZodRecord<z.ZodString, z.ZodUnknown> {
  return z.record(z.string(), z.unknown()).meta({ 'x-kubernetes-preserve-unknown-fields': true });
}

/** A list in which each value stands once, so that two appliers can each own some of its entries. */
export function setOf<T extends z.ZodType<string>>(item: T, maxItems: number): z.ZodArray<T> {
  return z
    .array(item)
    .max(maxItems)
    .check(z.refine((values) => new Set(values).size === values.length, { message: 'lists the same value twice' }))
    .meta({ 'x-kubernetes-list-type': 'set' });
}

/** A list whose entries are told apart by one member. */
export function mapOf<T extends z.ZodObject>(item: T, key: keyof T['shape'] & string, maxItems: number): z.ZodArray<T> {
  return z
    .array(item)
    .max(maxItems)
    .check(
      z.refine((values) => new Set(values.map((value) => value[key])).size === values.length, {
        message: `has two entries with the same ${key}`,
      }),
    )
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [key] });
}

/** A list that is written whole by one writer. */
export function listOf<T extends z.ZodType>(item: T, maxItems: number): z.ZodArray<T> {
  return z.array(item).max(maxItems).meta({ 'x-kubernetes-list-type': 'atomic' });
}
