import { isObject, isString, parseJson, textAt } from './json.ts';
import { queryInteger, type RequestInfo } from './request-info.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { type Selection, selectionOf } from './selection.ts';
import { badRequest, expired, versionTooLarge } from './status-error.ts';
import type { Collection, Stored } from './store.ts';
import type { World } from './world.ts';

export interface ListedPage {
  readonly items: readonly Stored[];
  readonly version: number;
  readonly continueToken: string | undefined;
  readonly remaining: number | undefined;
}

/** One page of a collection, all pages at the version of the first. Throws 400, 410 and 504 as the API server does. */
export function listPage(world: World, definition: ResourceDefinition, info: RequestInfo): ListedPage {
  const selection = selectionOf(definition, info);
  const limit = queryInteger(info.query, 'limit') ?? 0;
  const collection = world.store.collection(definition.storage);
  const token = readToken(info.query.get('continue') ?? '');
  const version = token?.version ?? versionAsked(info, world.store.version);
  const objects = stateAt(collection, version, world.store.version, selection, token !== undefined);
  const after = token?.after;
  const items: Stored[] = [];
  let more: string | undefined;
  let left = 0;
  for (const stored of objects) {
    const key = keyOf(stored);
    if (after !== undefined && key <= after) continue;
    if (!selection.matches(stored.object)) continue;
    if (limit > 0 && items.length === limit) {
      more ??= keyOf(items.at(-1) ?? stored);
      left += 1;
      continue;
    }
    items.push(stored);
  }
  return {
    items,
    version,
    continueToken: more === undefined ? undefined : writeToken(version, more),
    remaining: more === undefined || selection.isSelective ? undefined : left,
  };
}

function versionAsked({ query }: RequestInfo, current: number): number {
  const asked = query.get('resourceVersion') ?? '';
  if (asked === '' || asked === '0') return current;
  if (!/^\d+$/.test(asked))
    throw badRequest(
      `invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(asked)}: strconv.ParseUint: parsing ${JSON.stringify(asked)}: invalid syntax`,
    );
  if (Number(asked) > current) throw versionTooLarge(asked, current);
  return query.get('resourceVersionMatch') === 'Exact' ? Number(asked) : current;
}

/** The collection as it was: the present with later changes undone. */
function stateAt(
  collection: Collection,
  version: number,
  current: number,
  selection: Selection,
  isContinued: boolean,
): Iterable<Stored> {
  if (version === current) return collection.entries(selection.namespace);
  if (version < collection.oldest)
    throw expired(isContinued ? continueTooOld : `The resourceVersion for the provided list is too old.`);
  const changes = collection.since(version);
  if (changes.length === 0) return collection.entries(selection.namespace);
  const past = new Map<string, Stored>();
  for (const stored of collection.entries(selection.namespace)) past.set(keyOf(stored), stored);
  for (const change of changes.toReversed()) {
    if (selection.namespace !== undefined && change.namespace !== selection.namespace) continue;
    const key = keyOf(change.stored);
    if (change.previous === undefined) past.delete(key);
    else past.set(key, change.previous);
  }
  return [...past].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, stored]) => stored);
}

const continueTooOld =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.';

/** Orders as etcd's keys do: `\0` sorts before every character of a name. */
const keyOf = ({ object }: Stored) =>
  `${textAt(object, 'metadata', 'namespace')}\0${textAt(object, 'metadata', 'name')}`;

function writeToken(version: number, after: string): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: version, start: after })).toString('base64url');
}

function readToken(text: string): { readonly version: number; readonly after: string } | undefined {
  if (text === '') return undefined;
  const parsed = parseJson(Buffer.from(text, 'base64url').toString());
  if (!isObject(parsed) || typeof parsed['rv'] !== 'number' || !isString(parsed['start'])) {
    throw badRequest('invalid continue token: continue key is not valid: illegal base64 data at input byte 0');
  }
  return { version: parsed['rv'], after: parsed['start'] };
}
