import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { crdOf, type DescribedKind, objectSchemaOf } from './crd.ts';
import { kinds, nodeDrain, statefulCluster } from './kinds.ts';
import { NotStructuralError } from './structural-schema.ts';

describe('the CRD of every kind', () => {
  test.each(kinds.map((kind): DescribedKind => kind))(
    '$kind: names that do not clash, a status, columns that end with the age',
    (kind) => {
      const { metadata, spec } = crdOf(kind);
      expect(metadata.name).toBe(`${spec.names.plural}.drover.dev`);
      expect(spec.names.shortNames).not.toContain('sts');
      expect(spec.names.categories).toEqual(['drover']);
      expect(spec.versions[0].subresources).toEqual({ status: {} });
      expect(spec.versions[0].additionalPrinterColumns.at(-1)?.name).toBe('Age');
    },
  );

  test('a column for the wide table has a lower priority', () => {
    const columns = crdOf(nodeDrain).spec.versions[0].additionalPrinterColumns;
    expect(columns.find(({ name }) => name === 'Why')).toMatchObject({ priority: 1 });
    expect(columns.find(({ name }) => name === 'Phase')).not.toHaveProperty('priority');
  });

  test('no rule stands in a status: Drover writes it, and a thousand rows would cost time on every write', () => {
    for (const kind of kinds)
      expect(JSON.stringify(objectSchemaOf(kind).properties?.['status'])).not.toContain('x-kubernetes-validations');
  });

  test('no number is one that JavaScript cannot write', () => {
    const numbers: number[] = [];
    for (const kind of kinds)
      JSON.stringify(crdOf(kind), (_, value: unknown) => (typeof value === 'number' ? numbers.push(value) : value));
    expect(numbers.length).toBeGreaterThan(100);
    for (const number of numbers) expect(Number.isSafeInteger(number)).toBe(true);
  });
});

describe('defaults in the CRD', () => {
  const served = crdOf(statefulCluster).spec.versions[0].schema.openAPIV3Schema.properties;

  test('stand where the API server fills them in', () => {
    expect(served?.['spec']?.properties?.['automationOptions']?.default).toEqual({});
    expect(served?.['spec']?.properties?.['drainPolicy']?.default).toBe('block-if-contains-last-replica');
  });

  test('do not stand in the entries of a list, or kubectl would see a change for ever', () => {
    expect(served?.['spec']?.properties?.['roles']?.items?.properties?.['processesPerPod']).not.toHaveProperty(
      'default',
    );
  });

  test('do not stand in a status, which says only what was written', () => {
    expect(JSON.stringify(served?.['status'])).not.toContain('"default":');
  });
});

test('a kind with a schema that is not structural has no CRD', () => {
  const kind: DescribedKind = { ...nodeDrain, spec: z.object({ a: z.string() }) };
  expect(() => crdOf(kind)).toThrow(NotStructuralError);
  expect(() => crdOf(kind)).toThrow(/spec\.a: has no description\n +spec\.a: is a string without maxLength/);
});
