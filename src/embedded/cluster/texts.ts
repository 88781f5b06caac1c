import { isString, type JsonValue, objectAt } from '../api-server/json.ts';

/** A map of texts, such as labels. What is no text is left out. */
export function textsAt(value: JsonValue | undefined, ...path: readonly string[]): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const [name, text] of Object.entries(objectAt(value, ...path))) if (isString(text)) texts[name] = text;
  return texts;
}
