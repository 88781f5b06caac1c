import * as fc from 'fast-check';
import { type DescribedKind, objectSchemaOf } from '../../../src/api/crd.ts';
import type { StructuralSchema } from '../../../src/api/structural-schema.ts';

type Step = string | 0;

interface Place {
  readonly steps: readonly Step[];
  readonly schema: StructuralSchema;
}

/** Every field below a schema; of a list, its first entry. */
function places(schema: StructuralSchema, steps: readonly Step[]): Place[] {
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => places(member, [...steps, name]));
  const items = schema.items === undefined ? [] : places(schema.items, [...steps, 0]);
  return [{ steps, schema }, ...members, ...items];
}

const oddities = [
  -1,
  0,
  1.5,
  2 ** 31,
  '',
  '*',
  'x',
  'a-1',
  'A B',
  '10%',
  '1.2.3',
  'http://a',
  '@daily',
  true,
  false,
  [],
  {},
  ['x'],
  [{}],
];

/** Values that are often right: the agreement on what is accepted matters as much as that on what is refused. */
function plausible({ type, enum: choices = [], minimum = 0, nullable, maxLength = 0 }: StructuralSchema): unknown[] {
  const unset = nullable === true ? [null, undefined] : [undefined];
  switch (type) {
    case 'boolean':
      return [true, false, ...unset];
    case 'integer':
      return [minimum, minimum + 1, 60, 500, ...unset];
    case 'string':
      return choices.length > 0
        ? [...choices, ...unset]
        : ['x', 'a-1', '1.2.3', 'a'.repeat(Math.min(maxLength, 63)), ...unset];
    case 'array':
      return [[], ['x'], ['a-1', 'b-2'], ...unset];
    case 'object':
      return [{}, ...unset];
    default:
      return [1, '10%', '100%', ...unset];
  }
}

/** Values on both sides of what the schema allows. No null where null is not allowed: the API server drops such a field unseen. */
function values(schema: StructuralSchema): fc.Arbitrary<unknown> {
  const { minimum, maximum, maxLength } = schema;
  const edges = [
    ...(minimum === undefined ? [] : [minimum - 1]),
    ...(maximum === undefined ? [] : [maximum, maximum + 1]),
    ...(maxLength === undefined ? [] : ['a'.repeat(maxLength), 'a'.repeat(maxLength + 1)]),
  ];
  return fc.oneof(
    { arbitrary: fc.constantFrom(...plausible(schema)), weight: 3 },
    { arbitrary: fc.constantFrom<unknown[]>(...oddities, ...edges), weight: 1 },
  );
}

/** Whether the object has the field, or could have it by setting nothing but the field and its parent. */
function isNear(object: unknown, [step, ...rest]: readonly Step[]): boolean {
  if (step === undefined || rest.length <= 1) return true;
  if (typeof object !== 'object' || object === null) return false;
  return isNear(Object.entries(object).find(([name]) => name === String(step))?.[1], rest);
}

function put(object: unknown, [step, ...rest]: readonly Step[], value: unknown): unknown {
  if (step === undefined) return value;
  if (step === 0) {
    const [first, ...others]: unknown[] = Array.isArray(object) ? object : [];
    return [put(first, rest, value), ...others].filter((item) => item !== undefined);
  }
  const members: Record<string, unknown> =
    typeof object === 'object' && object !== null && !Array.isArray(object) ? { ...object } : {};
  return { ...members, [step]: put(members[step], rest, value) };
}

/** One of the good objects with one or two fields set to something else, which may or may not be allowed there. */
export function spoiledObjects(kind: DescribedKind, goods: readonly object[]): fc.Arbitrary<unknown> {
  const all = places(objectSchemaOf(kind).properties?.['spec'] ?? {}, ['spec']).slice(1);
  return fc.constantFrom(...goods).chain((good) => {
    const change = fc
      .constantFrom(...all.filter(({ steps }) => isNear(good, steps)))
      .chain(({ steps, schema }) => values(schema).map((value) => ({ steps, value })));
    return fc
      .array(change, { minLength: 1, maxLength: 2 })
      .map((changes) => changes.reduce<unknown>((object, { steps, value }) => put(object, steps, value), good))
      .map((object): unknown => JSON.parse(JSON.stringify(object)));
  });
}
