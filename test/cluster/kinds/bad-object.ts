import type { KindName } from './good-objects.ts';

/** One way to spoil a good object, and what the API server must say: the field, and what is right. */
export interface BadObject {
  readonly what: string;
  readonly kind: KindName;
  /** The field to set, and its bad value; undefined takes the field out. */
  readonly set: readonly [path: string, value: unknown];
  readonly says: readonly string[];
}

type Row = readonly [what: string, path: string, value: unknown, ...says: string[]];

/** A table of bad objects of one kind. */
export function rows(kind: KindName, table: readonly Row[]): BadObject[] {
  return table.map(([what, path, value, ...says]) => ({ what, kind, set: [path, value], says }));
}

/** Some of the drain policies, as a refusal lists them. */
export const policies = ['"block-if-contains-last-replica"', '"always-allow"', '"block-for-eviction"'];
