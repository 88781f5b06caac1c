import type { z } from 'zod';
import type { DeepReadonly } from './deep-readonly.ts';
import type { objectMeta } from './object-meta.ts';
import type { Rule } from './rule.ts';
import type { ConditionDefinition } from './v1alpha1/condition.schema.ts';

export const group = 'drover.dev';
export const version = 'v1alpha1';
export const apiVersion = `${group}/${version}` as const;

/** A column of `kubectl get`. Columns with `wide` only show with `-o wide`. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  readonly wide?: true;
}

/** What a rule on the whole object can see: the API server shows it nothing else of the metadata. */
export interface WholeObject<Spec> {
  readonly metadata: { readonly name: string };
  readonly spec: Spec;
}

/** A resource kind: everything from which its CRD, its types, its validation and its reference are made. */
export interface Kind<Name extends string, Spec, Status> {
  readonly kind: Name;
  readonly plural: string;
  readonly singular: string;
  readonly shortName: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly description: string;
  readonly spec: z.ZodType<Spec>;
  readonly status: z.ZodType<Status>;
  /** Rules that need the name of the object. */
  readonly rules: readonly Rule<WholeObject<Spec>>[];
  readonly columns: readonly Column[];
  readonly conditions: readonly ConditionDefinition[];
}

/** An object of a kind, read from the API server, with defaults in place. */
export interface KubeObject<Name extends string, Spec, Status> {
  readonly apiVersion: typeof apiVersion;
  readonly kind: Name;
  readonly metadata: DeepReadonly<z.output<typeof objectMeta>>;
  readonly spec: Spec;
  readonly status: Status;
}
