type JsonObject = Readonly<Record<string, unknown>>;

/**
 * One JSON object over another, as `kubectl patch` would: members of objects one by one, null takes a member away. Lists whose entries have names
 * (containers, volumes, variables) are merged by name, every other list is replaced as a whole.
 */
export function mergeOver(base: JsonObject, over: JsonObject): JsonObject {
  const merged = Object.entries(over).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [[key, mergedValue(base[key], value)] as const],
  );
  const kept = Object.entries(base).filter(([key]) => !(key in over));
  return Object.fromEntries([...kept, ...merged]);
}

function mergedValue(base: unknown, over: unknown): unknown {
  if (isObject(base) && isObject(over)) return mergeOver(base, over);
  if (areNamed(base) && areNamed(over) && over.length > 0) return mergeByName(base, over);
  return isObject(over) ? mergeOver({}, over) : over;
}

function mergeByName(base: readonly Named[], over: readonly Named[]): readonly JsonObject[] {
  const changed = base.map((one) => mergeOver(one, over.find(({ name }) => name === one.name) ?? {}));
  return [...changed, ...over.filter(({ name }) => !base.some((one) => one.name === name))];
}

interface Named extends JsonObject {
  readonly name: string;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const areNamed = (value: unknown): value is readonly Named[] =>
  Array.isArray(value) && value.every((one) => isObject(one) && typeof one['name'] === 'string');
