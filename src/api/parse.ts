import { z } from 'zod';
import { apiVersion, type Kind, type KubeObject } from './kind.ts';
import { objectMeta } from './object-meta.ts';

/** One fault of an object. */
export interface Fault {
  /** The path of the field, as kubectl writes it: `spec.roles[0].count`. */
  readonly field: string;
  readonly message: string;
}

/** An object that breaks the rules of its kind. The API server accepted it under older rules, or it never was there. */
export class InvalidObjectError extends Error {
  override readonly name = 'InvalidObjectError';
  readonly code = 'InvalidObject';
  readonly faults: readonly Fault[];

  constructor(subject: string, faults: readonly Fault[], cause: unknown) {
    const sentences = faults.map(({ field, message }) => `${field}: ${message}`);
    super(`${subject} is not valid, correct it with kubectl edit: ${sentences.join('; ')}`, { cause });
    this.faults = faults;
  }
}

const bodySchema = z.object({ spec: z.unknown().optional(), status: z.unknown().optional() });

type HeadSchema = ReturnType<typeof headSchema>;
const headSchema = (kind: string) =>
  z.object({ apiVersion: z.literal(apiVersion), kind: z.literal(kind), metadata: objectMeta });
const headSchemas = new Map<string, HeadSchema>();

/** Made once for each kind: zod compiles a schema when it is first used, which takes longer than using it. */
function headOf(kind: string): HeadSchema {
  const known = headSchemas.get(kind);
  if (known !== undefined) return known;
  const made = headSchema(kind);
  headSchemas.set(kind, made);
  return made;
}

/**
 * An object of the kind as the API server returned it, with defaults in place, also in a status that is not there yet.
 * Fields that the schema does not know are left out, except in metadata and in parts of other kinds, such as a pod template.
 * Throws InvalidObjectError, which names every field that is wrong. `known` is its spec as it was read before, where that cannot have changed
 * since: it is not read again.
 */
export function parseObject<Name extends string, Spec, Status>(
  kind: Kind<Name, Spec, Status>,
  object: unknown,
  known?: Spec,
): KubeObject<Name, Spec, Status> {
  const head = headOf(kind.kind).safeParse(object);
  const body = bodySchema.safeParse(object).data;
  const spec =
    known === undefined ? kind.spec.safeParse(body?.spec) : ({ success: true, data: known, error: undefined } as const);
  const status = kind.status.safeParse(body?.status ?? {});
  if (!head.success || !spec.success || !status.success) {
    throw new InvalidObjectError(
      subjectOf(kind.kind, head.data?.metadata),
      [...faultsOf(head.error, []), ...faultsOf(spec.error, ['spec']), ...faultsOf(status.error, ['status'])],
      head.error ?? spec.error ?? status.error,
    );
  }

  const { metadata } = head.data;
  const broken = kind.rules.filter((rule) => !rule.holds({ metadata, spec: spec.data }));
  if (broken.length > 0) {
    const faults = broken.map(({ message }): Fault => ({ field: 'object', message }));
    throw new InvalidObjectError(subjectOf(kind.kind, metadata), faults, undefined);
  }
  return { apiVersion, kind: kind.kind, metadata, spec: spec.data, status: status.data };
}

function subjectOf(
  kind: string,
  metadata: { readonly name: string; readonly namespace?: string | undefined } | undefined,
): string {
  if (metadata === undefined) return `${kind} without a name`;
  return metadata.namespace === undefined
    ? `${kind} ${metadata.name}`
    : `${kind} ${metadata.namespace}/${metadata.name}`;
}

function faultsOf(error: z.ZodError | undefined, prefix: readonly string[]): Fault[] {
  return (error?.issues ?? []).map(({ path, message }) => ({ field: fieldPath([...prefix, ...path]), message }));
}

/** A path as kubectl writes it: `spec.roles[0].count`. */
function fieldPath(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${String(step)}`))
    .join('');
}
