import { at, type JsonObject, type JsonValue, listAt, textAt } from '../json.ts';
import type { TableColumn, TableLayout } from '../resource-definition.ts';
import { age } from './human-duration.ts';

type Cell = (object: JsonObject, now: number) => JsonValue;

/** One column: its name, a star in front where only `-o wide` shows it, a hash where it is a number; and what stands in it. */
export type ColumnRow = readonly [name: string, cell: Cell];

export const nameColumn: ColumnRow = ['Name', (object) => textAt(object, 'metadata', 'name')];
export const ageColumn: ColumnRow = ['Age', (object, now) => age(at(object, 'metadata', 'creationTimestamp'), now)];

/** A layout out of rows. */
export function layout(...rows: readonly ColumnRow[]): TableLayout {
  return {
    columns: rows.map(([text]): TableColumn => {
      const name = text.replace(/^[*#]+/, '');
      return {
        name,
        type: text.includes('#') ? 'integer' : 'string',
        format: name === 'Name' ? 'name' : '',
        description: `${name} of the object.`,
        priority: text.startsWith('*') ? 1 : 0,
      };
    }),
    row: (object, now) => rows.map(([, cell]) => cell(object, now)),
  };
}

export const orNone = (text: string) => (text === '' ? '<none>' : text);

/** Names or images of the containers of a template. */
export const containers =
  (member: 'name' | 'image'): Cell =>
  (object) =>
    listAt(object, 'spec', 'template', 'spec', 'containers')
      .map((container) => textAt(container, member))
      .join(',');
