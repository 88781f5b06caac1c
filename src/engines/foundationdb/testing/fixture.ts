import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const fixtureNames = [
  'healthy-7.3',
  'leaving-7.3',
  'recovering-7.1',
  'unreachable-7.1',
  'client-only-7.1',
  'never-created-7.3',
  'incomplete-7.3',
  'degraded-7.1',
  'drained-6.2',
] as const;

export type FixtureName = (typeof fixtureNames)[number];

/** A status in the shape of a release, as fdbcli prints it. Written by hand after research 4.2 and 4.3: no real database was to be had. */
export const fixture = (name: FixtureName): string =>
  readFileSync(join(import.meta.dirname, '..', 'fixtures', `${name}.json`), 'utf8');

/** A place in a document: `cluster.processes`, of which `*` is every entry. */
type Path = string;

/** The same with the values at some places replaced, or taken out by `undefined`. Throws for a place that is not there. */
export function changed(text: string, changes: Readonly<Record<Path, unknown>>): string {
  const document: unknown = JSON.parse(text);
  for (const [path, value] of Object.entries(changes)) change(document, path.split('/'), value);
  return JSON.stringify(document);
}

function change(within: unknown, [key = '', ...rest]: readonly string[], value: unknown): void {
  if (!isRecord(within)) throw new Error(`there is no ${key}`);
  if (rest.length > 0) return change(within[key], rest, value);
  if (value === undefined) delete within[key];
  else within[key] = value;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The path of a process of a fixture, by its process group. */
export function pathOf(text: string, group: string): string {
  const found = /"([0-9a-f]{32})": \{\s+"address"[\s\S]*?"instance_id": "([^"]+)"/g;
  for (const [, key = '', instance] of text.matchAll(found)) if (instance === group) return `cluster/processes/${key}`;
  throw new Error(`there is no process of ${group}`);
}
