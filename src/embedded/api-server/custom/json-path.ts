import { isObject, type JsonValue, printed } from '../json.ts';

type Step = { readonly name: string } | { readonly where: readonly string[]; readonly is: string };

const pattern =
  /\.([A-Za-z0-9_-]+)|\[\?\(@((?:\.[A-Za-z0-9_-]+)+)\s*==\s*["']([^"']*)["']\)\]|\['([^']+)'\]|\[(\d+|\*)\]/y;

/** The values that a JSONPath of a printer column finds: members, indices and filters by equality. Nothing for a path of another form. */
export function findByPath(value: JsonValue, path: string): JsonValue[] {
  let found: JsonValue[] = [value];
  for (const step of stepsOf(path)) found = found.flatMap((each) => walk(each, step));
  return found;
}

const parsed = new Map<string, readonly Step[]>();

function stepsOf(path: string): readonly Step[] {
  let steps = parsed.get(path);
  if (steps !== undefined) return steps;
  const read: Step[] = [];
  pattern.lastIndex = 0;
  while (pattern.lastIndex < path.length) {
    const match = pattern.exec(path);
    if (match === null) break;
    const [, name, where, is, quoted, index] = match;
    if (where !== undefined) read.push({ where: where.split('.').slice(1), is: is ?? '' });
    else read.push({ name: name ?? quoted ?? index ?? '' });
  }
  steps = read;
  parsed.set(path, steps);
  return steps;
}

function walk(value: JsonValue, step: Step): JsonValue[] {
  if ('where' in step) {
    if (!Array.isArray(value)) return [];
    return value.filter((item) => {
      let current: JsonValue | undefined = item;
      for (const name of step.where) current = isObject(current) ? current[name] : undefined;
      return printed(current) === step.is;
    });
  }
  if (Array.isArray(value)) {
    if (step.name === '*') return value;
    const item = value[Number(step.name)];
    return item === undefined ? [] : [item];
  }
  const member = isObject(value) ? value[step.name] : undefined;
  return member === undefined ? [] : [member];
}
