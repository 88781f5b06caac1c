import { millis, seconds } from '../../kube/clock.ts';
import { randomInteger } from '../../kube/random.ts';
import { invalid } from './field-error.ts';
import type { JsonObject } from './json.ts';
import { queryFlag, queryInteger, type RequestInfo } from './request-info.ts';
import { apiVersionOf, type ResourceDefinition } from './resource-definition.ts';
import { type Selection, selectionOf } from './selection.ts';
import { badRequest, expired, type StatusError } from './status-error.ts';
import type { Change } from './store.ts';
import { WatchStream } from './watch-stream.ts';
import type { World } from './world.ts';

/** How an object is written into the stream: as itself, as a row of a table, as its metadata. */
export type Rendering = (stored: JsonObject) => string;

const bookmarkEvery = seconds(60);

/**
 * A watch as the query asks for it: from a version on, from the present state, or as a streaming list. A version that is no longer in the
 * history gives an ERROR event with 410, as the real watch cache does, not an HTTP error.
 */
export function startWatch(
  world: World,
  definition: ResourceDefinition,
  info: RequestInfo,
  render: Rendering,
): WatchStream {
  const selection = selectionOf(definition, info);
  const { query } = info;
  const initialEvents = initialEventsWanted(query);
  const stream = new WatchStream();
  const collection = world.store.collection(definition.storage);
  const asked = query.get('resourceVersion') ?? '';
  if (asked !== '' && !/^\d+$/.test(asked)) {
    throw badRequest(`strconv.ParseUint: parsing ${JSON.stringify(asked)}: invalid syntax`);
  }

  const write = (change: Change) => {
    const line = eventLine(change, selection, render);
    if (line !== undefined) stream.push(line);
  };
  const bookmarks = queryFlag(query, 'allowWatchBookmarks');
  if (asked === '' || asked === '0' || initialEvents) {
    for (const stored of collection.entries(selection.namespace)) {
      if (selection.matches(stored.object)) stream.push(`{"type":"ADDED","object":${render(stored.object)}}\n`);
    }
    if (initialEvents && bookmarks) stream.push(bookmark(definition, world.store.version, true));
  } else if (Number(asked) < collection.oldest) {
    stream.push(errorLine(expired(`too old resource version: ${asked} (${collection.oldest})`)));
    stream.end();
    return stream;
  } else for (const change of collection.since(Number(asked))) write(change);

  stream.onClose(collection.listen(write));
  keepTime(world, stream, query, bookmarks ? () => bookmark(definition, world.store.version, false) : undefined);
  return stream;
}

function initialEventsWanted(query: URLSearchParams): boolean {
  const asked = queryFlag(query, 'sendInitialEvents');
  const match = query.get('resourceVersionMatch') ?? '';
  const fault = (message: string) =>
    invalid('ListOptions', 'meta.k8s.io', '', [
      { reason: 'FieldValueForbidden', field: 'resourceVersionMatch', message: `Forbidden: ${message}` },
    ]);
  if (asked && match !== 'NotOlderThan') {
    throw fault('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
  }
  if (!asked && match !== '' && query.get('sendInitialEvents') === null) {
    throw fault('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided');
  }
  return asked;
}

/** Ends the watch when its time is up, and sends bookmarks until then. */
function keepTime(
  world: World,
  stream: WatchStream,
  query: URLSearchParams,
  makeBookmark: (() => string) | undefined,
): void {
  const asked = queryInteger(query, 'timeoutSeconds') ?? 0;
  // Without a timeout the real server takes a random one from half an hour on, so that watches do not all end at once.
  const limit = asked > 0 ? asked : randomInteger(world.random, 1800, 3600);
  const end = world.clock.after(seconds(limit), () => {
    if (makeBookmark !== undefined) stream.push(makeBookmark());
    stream.end();
  });
  stream.onClose(() => end.cancel());
  if (makeBookmark === undefined || limit * 1000 <= bookmarkEvery) return;
  const tick = () => {
    stream.push(makeBookmark());
    timer = world.clock.after(bookmarkEvery, tick);
  };
  let timer = world.clock.after(millis(bookmarkEvery), tick);
  stream.onClose(() => timer.cancel());
}

/** The event that a watcher with this selection sees: an object that leaves the selection is deleted for it, one that enters is new. */
function eventLine(change: Change, selection: Selection, render: Rendering): string | undefined {
  if (selection.namespace !== undefined && change.namespace !== selection.namespace) return undefined;
  const before = change.previous !== undefined && selection.matches(change.previous.object);
  const after = change.type !== 'DELETED' && selection.matches(change.stored.object);
  if (!before && !after) return undefined;
  if (before && after) return `{"type":"MODIFIED","object":${render(change.stored.object)}}\n`;
  if (after) return `{"type":"ADDED","object":${render(change.stored.object)}}\n`;
  const last = change.type === 'DELETED' ? change.stored.object : lastSeen(change);
  return `{"type":"DELETED","object":${render(last)}}\n`;
}

/** What left the selection, as it last was in it, with the version at which it left. */
function lastSeen({ previous, stored }: Change): JsonObject {
  const object = previous?.object ?? stored.object;
  const { metadata } = object;
  const given = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata) ? metadata : {};
  return { ...object, metadata: { ...given, resourceVersion: String(stored.version) } };
}

function bookmark(definition: ResourceDefinition, version: number, isEnd: boolean): string {
  const metadata: JsonObject = {
    resourceVersion: String(version),
    ...(isEnd && { annotations: { 'k8s.io/initial-events-end': 'true' } }),
  };
  const object = { kind: definition.kind, apiVersion: apiVersionOf(definition), metadata };
  return `{"type":"BOOKMARK","object":${JSON.stringify(object)}}\n`;
}

export const errorLine = (error: StatusError) => `{"type":"ERROR","object":${JSON.stringify(error.toStatus())}}\n`;
