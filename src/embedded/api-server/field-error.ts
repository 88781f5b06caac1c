import { isObject, type JsonValue } from './json.ts';
import { StatusError } from './status-error.ts';

/** One fault of an object: what the API server calls a field error. */
export interface FieldError {
  readonly reason: string;
  readonly field: string;
  /** Without the field. */
  readonly message: string;
}

const fault =
  (reason: string) =>
  (field: string, message: string): FieldError => ({ reason, field, message });
const required0 = fault('FieldValueRequired');
const invalid0 = fault('FieldValueInvalid');

export const required = (field: string, detail = ''): FieldError =>
  required0(field, detail === '' ? 'Required value' : `Required value: ${detail}`);

export const invalidValue = (field: string, value: JsonValue | undefined, detail: string): FieldError =>
  invalid0(field, `Invalid value: ${goText(value)}${detail === '' ? '' : `: ${detail}`}`);

/** As CEL rules say it: what is no scalar is not repeated. */
export const ruleBroken = (field: string, value: JsonValue | undefined, detail: string): FieldError =>
  isObject(value) || Array.isArray(value)
    ? invalid0(field, `Invalid value: ${detail}`)
    : invalidValue(field, value, detail);

/** As structural schemas say it: a value of the wrong type is named by its type. */
export const typeInvalid = (field: string, value: JsonValue | undefined, detail: string): FieldError => ({
  reason: 'FieldValueTypeInvalid',
  field,
  message: `Invalid value: ${JSON.stringify(typeName(value))}: ${detail}`,
});

export const unsupported = (field: string, value: JsonValue | undefined, supported: readonly string[]): FieldError => ({
  reason: 'FieldValueNotSupported',
  field,
  message: `Unsupported value: ${goText(value)}: supported values: ${supported.map((each) => JSON.stringify(each)).join(', ')}`,
});

export const forbiddenField = (field: string, detail: string): FieldError => ({
  reason: 'FieldValueForbidden',
  field,
  message: `Forbidden: ${detail}`,
});

export const duplicate = (field: string, value: JsonValue | undefined): FieldError => ({
  reason: 'FieldValueDuplicate',
  field,
  message: `Duplicate value: ${goText(value)}`,
});

export const tooLong = (field: string, most: number): FieldError => ({
  reason: 'FieldValueTooLong',
  field,
  message: `Too long: may not be more than ${most} bytes`,
});

export const tooMany = (field: string, count: number, most: number): FieldError => ({
  reason: 'FieldValueTooMany',
  field,
  message: `Too many: ${count}: must have at most ${most} item${most === 1 ? '' : 's'}`,
});

/** The 422 that names all faults. */
export function invalid(kind: string, group: string, name: string, faults: readonly FieldError[]): StatusError {
  const texts = faults.map(({ field, message }) => `${field}: ${message}`);
  const [only = ''] = texts;
  const subject = group === '' ? kind : `${kind}.${group}`;
  const list = texts.length === 1 ? only : `[${[...new Set(texts)].join(', ')}]`;
  return new StatusError(422, 'Invalid', `${subject} "${name}" is invalid: ${list}`, {
    name,
    group,
    kind,
    causes: faults.map(({ reason, message, field }) => ({ reason, message, field })),
  });
}

/** A value as Go's `%v` and the field package print it. */
function goText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  return isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value);
}

/** What a value is, in the words of the schema validator. */
export function typeName(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}
