import { describe, expect, test } from 'vitest';
import { at, type JsonObject, listAt, textAt } from './json.ts';
import { SmallWorld } from './testing/small-world.ts';

const path = '/api/v1/namespaces/default/configmaps/a';

function apply(world: SmallWorld, manager: string, data: JsonObject, force = false) {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data };
  return world.send('PATCH', `${path}?fieldManager=${manager}${force ? '&force=true' : ''}`, body, {
    'content-type': 'application/apply-patch+yaml',
  });
}

const owners = (object: JsonObject) =>
  Object.fromEntries(
    listAt(object, 'metadata', 'managedFields').map((entry) => [
      `${textAt(entry, 'manager')} ${textAt(entry, 'operation')}`,
      at(entry, 'fieldsV1', 'f:data'),
    ]),
  );

describe('server-side apply', () => {
  test('records who owns what', async () => {
    const world = new SmallWorld();
    await apply(world, 'one', { x: '1', y: '2' });
    const { body } = await apply(world, 'two', { y: '2', z: '3' });
    expect(owners(body)).toEqual({ 'one Apply': { 'f:x': {}, 'f:y': {} }, 'two Apply': { 'f:y': {}, 'f:z': {} } });
  });

  test('refuses to change what another owns, and takes it by force', async () => {
    const world = new SmallWorld();
    await apply(world, 'one', { x: '1' });
    const refused = await apply(world, 'two', { x: '2' });
    expect(refused.status).toBe(409);
    expect(refused.body['message']).toBe('Apply failed with 1 conflict: conflict with "one": .data.x');
    const forced = await apply(world, 'two', { x: '2' }, true);
    expect(owners(forced.body)).toEqual({ 'two Apply': { 'f:x': {} } });
  });

  test('takes away what it no longer says, unless another wants it', async () => {
    const world = new SmallWorld();
    await apply(world, 'one', { x: '1', y: '2' });
    await apply(world, 'two', { y: '2' });
    const { body } = await apply(world, 'one', {});
    expect(body['data']).toEqual({ y: '2' });
  });

  test('an update takes ownership, and the applier then conflicts', async () => {
    const world = new SmallWorld();
    await apply(world, 'one', { x: '1' });
    const updated = await world.send(
      'PATCH',
      `${path}?fieldManager=hand`,
      { data: { x: '9' } },
      { 'content-type': 'application/merge-patch+json' },
    );
    expect(owners(updated.body)).toEqual({ 'hand Update': { 'f:x': {} } });
    const refused = await apply(world, 'one', { x: '1' });
    expect(refused.body['message']).toBe('Apply failed with 1 conflict: conflict with "hand" using v1: .data.x');
  });

  test('does not write when nothing changes', async () => {
    const world = new SmallWorld();
    const first = await apply(world, 'one', { x: '1' });
    const second = await apply(world, 'one', { x: '1' });
    expect(textAt(second.body, 'metadata', 'resourceVersion')).toBe(textAt(first.body, 'metadata', 'resourceVersion'));
  });

  test('merges keyed lists entry by entry', async () => {
    const world = new SmallWorld();
    const pods = '/api/v1/namespaces/default/pods/p';
    const send = (manager: string, spec: JsonObject) =>
      world.send(
        'PATCH',
        `${pods}?fieldManager=${manager}`,
        { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec },
        { 'content-type': 'application/apply-patch+yaml' },
      );
    await send('one', { containers: [{ name: 'a', image: '1' }] });
    const refused = await send('two', { containers: [{ name: 'a', image: '2' }] });
    expect(refused.body['message']).toBe(
      'Apply failed with 1 conflict: conflict with "one": .spec.containers[name="a"].image',
    );
  });

  test('wants to know every field', async () => {
    const world = new SmallWorld();
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, dota: {} };
    const reply = await world.send('PATCH', `${path}?fieldManager=x`, body, {
      'content-type': 'application/apply-patch+yaml',
    });
    expect(reply.status).toBe(500);
    expect(reply.body['message']).toContain('.dota: field not declared in schema');
  });
});
