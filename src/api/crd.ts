import { type Column, group, type Kind, version } from './kind.ts';
import type { CelRule, TransitionRule } from './rule.ts';
import { structuralViolations } from './structural-linter.ts';
import { NotStructuralError, type StructuralSchema, toStructuralSchema } from './structural-schema.ts';

/** A kind of which only its shape on the wire matters. */
export type DescribedKind = Omit<Kind<string, unknown, unknown>, 'rules'> & {
  readonly rules: readonly TransitionRule[];
};

/** A CustomResourceDefinition, as far as Drover writes one. */
export interface CustomResourceDefinition {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: {
      readonly kind: string;
      readonly listKind: string;
      readonly plural: string;
      readonly singular: string;
      readonly shortNames: readonly string[];
      readonly categories: readonly string[];
    };
    readonly scope: 'Namespaced' | 'Cluster';
    readonly versions: readonly [CustomResourceVersion];
  };
}

interface CustomResourceVersion {
  readonly name: string;
  readonly served: true;
  readonly storage: true;
  readonly subresources: { readonly status: Record<string, never> };
  readonly additionalPrinterColumns: readonly PrinterColumn[];
  readonly schema: { readonly openAPIV3Schema: StructuralSchema };
}

interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly description: string;
  readonly priority?: 1;
}

/** The CRD of a kind. Throws NotStructuralError when a schema says something that a CRD cannot. */
export function crdOf(kind: DescribedKind): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.plural}.${group}` },
    spec: {
      group,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.singular,
        shortNames: [kind.shortName],
        categories: ['drover'],
      },
      scope: kind.scope,
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: kind.columns.map(printerColumn),
          schema: { openAPIV3Schema: asServed(objectSchemaOf(kind)) },
        },
      ],
    },
  };
}

/** The schema of a whole object of a kind, with every default. Throws NotStructuralError. */
export function objectSchemaOf(kind: DescribedKind): StructuralSchema {
  const rules = kind.rules.map(({ cel, message }): CelRule => ({ rule: cel, message }));
  const schema: StructuralSchema = {
    type: 'object',
    description: kind.description,
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string', description: 'The group and version of the kind.' },
      kind: { type: 'string', description: 'The kind.' },
      // The API server describes metadata itself, and refuses a CRD that does.
      metadata: { type: 'object' },
      spec: { ...toStructuralSchema(kind.kind, kind.spec), description: 'What is wanted.' },
      status: { ...toStructuralSchema(kind.kind, kind.status), description: 'What is. Written by Drover alone.' },
    },
    ...(rules.length === 0 ? {} : { 'x-kubernetes-validations': rules }),
  };
  const violations = ['spec', 'status'].flatMap((part) => structuralViolations(schema.properties?.[part] ?? {}, part));
  if (violations.length > 0) throw new NotStructuralError(kind.kind, violations);
  return schema;
}

/**
 * The schema as the API server is to apply it: with defaults, except in two places, where only Drover fills them in.
 * In a status the API server would answer with figures that nobody has counted. In the entries of a list it would make
 * kubectl apply and GitOps tools, which compare lists as a whole, see a change for ever.
 */
function asServed(schema: StructuralSchema): StructuralSchema {
  const { spec = {}, status = {}, ...others } = schema.properties ?? {};
  return { ...schema, properties: { ...others, spec: withoutDefaultsInLists(spec), status: withoutDefaults(status) } };
}

function withoutDefaultsInLists(schema: StructuralSchema): StructuralSchema {
  return mapMembers(schema, withoutDefaultsInLists, withoutDefaults);
}

function withoutDefaults(schema: StructuralSchema): StructuralSchema {
  const copy = mapMembers(schema, withoutDefaults, withoutDefaults);
  delete copy.default;
  return copy;
}

type Change = (schema: StructuralSchema) => StructuralSchema;

function mapMembers(schema: StructuralSchema, ofProperties: Change, ofItems: Change): StructuralSchema {
  const { properties, items } = schema;
  const changed = Object.entries(properties ?? {}).map(([name, member]) => [name, ofProperties(member)] as const);
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: Object.fromEntries(changed) }),
    ...(items === undefined ? {} : { items: ofItems(items) }),
  };
}

function printerColumn({ name, type, jsonPath, description, wide }: Column): PrinterColumn {
  return { name, type, jsonPath, description, ...(wide === true ? { priority: 1 } : {}) };
}
