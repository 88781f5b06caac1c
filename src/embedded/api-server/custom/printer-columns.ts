import { isObject, type JsonObject, type JsonValue, listAt, numberAt, textAt } from '../json.ts';
import type { TableColumn, TableLayout } from '../resource-definition.ts';
import { age } from '../tables/human-duration.ts';
import { ageColumn, layout, nameColumn } from '../tables/layout.ts';
import { findByPath } from './json-path.ts';

/** The table of a custom kind: its name, then what its definition lists, or its age where that lists nothing. */
export function customTable(version: JsonObject): TableLayout {
  const printed = listAt(version, 'additionalPrinterColumns').filter(isObject);
  if (printed.length === 0) return layout(nameColumn, ageColumn);
  const columns = printed.map(
    (column): TableColumn => ({
      name: textAt(column, 'name'),
      type: textAt(column, 'type'),
      format: textAt(column, 'format'),
      description: textAt(column, 'description'),
      priority: numberAt(column, 'priority') ?? 0,
    }),
  );
  const name: TableColumn = {
    name: 'Name',
    type: 'string',
    format: 'name',
    description: 'The name of the object.',
    priority: 0,
  };
  return {
    columns: [name, ...columns],
    row: (object, now) => [
      textAt(object, 'metadata', 'name'),
      ...printed.map((column) => cell(object, textAt(column, 'jsonPath'), textAt(column, 'type'), now)),
    ],
  };
}

function cell(object: JsonObject, path: string, type: string, now: number): JsonValue {
  const found = findByPath(object, path);
  const [value] = found;
  if (value === undefined || value === null) return type === 'date' ? '<unknown>' : null;
  if (type === 'date') return age(value, now);
  if (type === 'integer' || type === 'number') return typeof value === 'number' ? value : null;
  if (type === 'boolean') return typeof value === 'boolean' ? value : null;
  return found.map((each) => (isObject(each) || Array.isArray(each) ? JSON.stringify(each) : String(each))).join(',');
}
