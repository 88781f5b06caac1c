import { describe, expect, test } from 'vitest';
import { minutes, seconds } from '../../kube/clock.ts';
import { at, type JsonObject, textAt } from './json.ts';
import { configMap, SmallWorld } from './testing/small-world.ts';

const path = '/api/v1/namespaces/default/configmaps';
const summary = (event: JsonObject) => `${textAt(event, 'type')} ${textAt(event, 'object', 'metadata', 'name')}`;

describe('a watch', () => {
  test('begins with what exists, and goes on with what happens', async () => {
    const world = new SmallWorld();
    await world.make(path, configMap('a'));
    const watch = await world.watch(`${path}?watch=1`);
    expect((await watch.lines()).map(summary)).toEqual(['ADDED a']);
    await world.make(path, configMap('b'));
    await world.send('DELETE', `${path}/a`);
    expect((await watch.lines()).map(summary)).toEqual(['ADDED b', 'DELETED a']);
  });

  test('hears once of a deletion that waits for finalizers, however often it is asked for', async () => {
    const world = new SmallWorld();
    const metadata = { name: 'a', finalizers: ['example.com/holds-on'] };
    await world.make(path, { ...configMap('a'), metadata });
    const watch = await world.watch(`${path}?watch=1`);
    await watch.lines();
    for (const _ of [1, 2, 3]) await world.send('DELETE', `${path}/a`);
    expect((await watch.lines()).map(summary)).toEqual(['MODIFIED a']);
  });

  test('resumes after a version, without what came before', async () => {
    const world = new SmallWorld();
    const first = await world.make(path, configMap('a'));
    await world.make(path, configMap('b'));
    const watch = await world.watch(`${path}?watch=1&resourceVersion=${textAt(first, 'metadata', 'resourceVersion')}`);
    expect((await watch.lines()).map(summary)).toEqual(['ADDED b']);
  });

  test('gets a 410 after a compaction, as an event', async () => {
    const world = new SmallWorld();
    const first = await world.make(path, configMap('a'));
    await world.make(path, configMap('b'));
    world.server.compact();
    const watch = await world.watch(`${path}?watch=1&resourceVersion=${textAt(first, 'metadata', 'resourceVersion')}`);
    const [event] = await watch.lines();
    expect(textAt(event, 'type')).toBe('ERROR');
    expect(at(event, 'object', 'code')).toBe(410);
    expect(await watch.lines()).toEqual([]);
  });

  test('is a streaming list where that is asked for', async () => {
    const world = new SmallWorld();
    await world.make(path, configMap('a'));
    const watch = await world.watch(
      `${path}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    );
    const events = await watch.lines();
    expect(events.map((event) => textAt(event, 'type'))).toEqual(['ADDED', 'BOOKMARK']);
    expect(at(events[1], 'object', 'metadata', 'annotations', 'k8s.io/initial-events-end')).toBe('true');
  });

  test('sends a bookmark every minute, and ends when its time is up', async () => {
    const world = new SmallWorld();
    const watch = await world.watch(`${path}?watch=1&allowWatchBookmarks=true&timeoutSeconds=150`);
    await world.clock.pass(minutes(1));
    expect((await watch.lines()).map((event) => textAt(event, 'type'))).toEqual(['BOOKMARK']);
    await world.clock.pass(seconds(95));
    expect((await watch.lines()).map((event) => textAt(event, 'type'))).toEqual(['BOOKMARK', 'BOOKMARK']);
    expect(await watch.lines()).toEqual([]);
    expect(world.clock.pending).toBe(0);
  });

  test('leaves nothing behind when its reader goes', async () => {
    const world = new SmallWorld();
    const { stream } = await world.watch(`${path}?watch=1&allowWatchBookmarks=true`);
    await stream[Symbol.asyncIterator]().return?.();
    expect(world.clock.pending).toBe(0);
  });
});

describe('pages', () => {
  test('all show the state of the first one', async () => {
    const world = new SmallWorld();
    for (const name of ['a', 'b', 'c', 'd']) await world.make(path, configMap(name));
    const first = await world.send('GET', `${path}?limit=2`);
    expect(at(first.body, 'metadata', 'remainingItemCount')).toBe(2);
    await world.send('DELETE', `${path}/c`);
    await world.make(path, configMap('bb'));
    const next = await world.send('GET', `${path}?limit=2&continue=${textAt(first.body, 'metadata', 'continue')}`);
    expect(JSON.stringify(next.body['items']).match(/"name":"(\w+)"/g)).toEqual(['"name":"c"', '"name":"d"']);
    expect(textAt(next.body, 'metadata', 'continue')).toBe('');
  });

  test('cannot be continued after a compaction', async () => {
    const world = new SmallWorld();
    for (const name of ['a', 'b', 'c']) await world.make(path, configMap(name));
    const first = await world.send('GET', `${path}?limit=2`);
    await world.make(path, configMap('d'));
    world.server.compact();
    const next = await world.send('GET', `${path}?limit=2&continue=${textAt(first.body, 'metadata', 'continue')}`);
    expect(next.status).toBe(410);
  });
});
