import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { at } from '../../model/testing/given.ts';
import { readSnapshot, snapshotJsonSchema } from './snapshot-file.ts';
import { schemaFaults } from './testing/schema-faults.ts';

const folder = join(import.meta.dirname, '../../../examples/snapshots');
const examples = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
const exampleOf = (file: string): unknown => parse(readFileSync(join(folder, file), 'utf8'));

/** As little as a snapshot can be. */
const least = {
  cluster: 'db/orders',
  now: '2026-11-15T01:00:00+01:00',
  spec: { engine: 'etcd' },
  topology: { observedAt: '2026-11-15T00:00:00Z' },
};
const faultsIn = (document: unknown) => readSnapshot(document).faults?.map(({ path }) => path.join('.'));

describe('what is usual is left out of a file', () => {
  test('and has the defaults of the design', () => {
    expect(readSnapshot(least).snapshot).toMatchObject({
      now: at(0),
      nodes: null,
      nextGroupNumber: 1,
      lastRemovalAt: null,
      maintenance: null,
      share: { reserved: 'all', quota: null },
      spec: {
        drainPolicy: 'block-if-contains-last-replica',
        trigger: 'Eviction',
        ownsPods: true,
        maxZonesWithUnavailablePods: null,
        deletionMode: 'Zone',
        removalMode: 'Zone',
        waitBetweenRemovals: 60,
        maxConcurrentReplacements: null,
        maintenance: { use: false, time: 600 },
        replacements: {
          enabled: false,
          failureDetectionTime: 7200,
          maxConcurrentReplacements: 1,
          taints: [],
          taintReplacementTime: 1800,
          maxTaintedZones: null,
        },
      },
    });
  });

  test('a process is in the group of its name, a unit is called by its id, a quorum is a majority', () => {
    const topology = {
      observedAt: '2026-11-15T00:00:00Z',
      processes: [
        { id: 'a', role: 'member' },
        { id: 'b', role: 'member', group: null },
        { id: 'c', role: 'member', group: 'pod-c' },
      ],
      units: [{ id: 'u', replicas: [] }],
      quorums: [
        { id: 'q', leader: 'a', members: [{ process: 'a' }, { process: 'b' }, { process: 'c' }, { process: 'd' }] },
      ],
    };
    expect(readSnapshot({ ...least, topology }).snapshot?.topology).toMatchObject({
      processes: [{ group: 'a' }, { group: null }, { group: 'pod-c' }],
      units: [{ name: 'unit u', attached: true }],
      quorums: [{ name: 'quorum q', needed: 3, membersMove: false }],
    });
  });

  test('an engine that could not be read is a topology too', () => {
    const topology = { unreachable: 'connection refused', since: '2026-11-15T00:00:00Z' };
    expect(readSnapshot({ ...least, topology }).snapshot?.topology).toEqual({ ...topology, since: at(0) });
  });

  test.each([
    [3600, 3600],
    ['never', 'never'],
    [9007199254740991, 'never'],
    [Number('9223372036854775807'), 'never'],
  ])('a taint that lasts %s', (duration, read) => {
    const taints = [{ key: 'example.com/maintenance', duration }];
    const { snapshot } = readSnapshot({ ...least, spec: { engine: 'etcd', replacements: { taints } } });
    expect(snapshot?.spec.replacements.taints).toEqual([{ key: 'example.com/maintenance', duration: read }]);
  });
});

describe('faults are told where they are', () => {
  test.each([
    ['all that must be there', {}, ['cluster', 'now', 'spec', 'topology']],
    [
      'a field of neither form of topology',
      { ...least, topology: { ...least.topology, procs: [] } },
      ['topology.procs'],
    ],
    ['an unreadable engine without its time', { ...least, topology: { unreachable: 'x' } }, ['topology.since']],
    [
      'a claim',
      { ...least, processGroups: [{ id: 'a', role: 'r', claim: { uid: 5 } }] },
      ['processGroups.0.claim.uid'],
    ],
    [
      'two kinds of limit at once',
      { ...least, spec: { engine: 'etcd', replacements: { maxTaintedZones: { count: 1, percent: 5 } } } },
      ['spec.replacements.maxTaintedZones.percent'],
    ],
  ])('%s', (_, document, fields) => {
    expect(faultsIn(document)).toEqual(fields);
  });
});

describe('the published schema', () => {
  const schema = snapshotJsonSchema();

  test('is a JSON Schema that survives JSON, and names what must be there', () => {
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      required: ['cluster', 'now', 'spec', 'topology'],
      additionalProperties: false,
    });
  });

  test.each(examples)('accepts %s', (file) => {
    expect(schemaFaults(schema, exampleOf(file))).toEqual([]);
  });

  test.each([
    ['an unknown field', { ...least, x: 1 }, ['x is unknown']],
    ['a field that is missing', { ...least, now: undefined }, ['now is missing']],
    ['a wrong word', { ...least, spec: { engine: 'mongodb' } }, ['spec.engine']],
    ['a wrong type', { ...least, nextGroupNumber: '1' }, ['nextGroupNumber']],
    ['what is no time', { ...least, now: 'yesterday' }, ['now']],
  ])('refuses %s, as the command does', (_, document, faults) => {
    const plain: unknown = JSON.parse(JSON.stringify(document));
    expect(schemaFaults(schema, plain)).toEqual(faults);
    expect(faultsIn(plain)).toHaveLength(1);
  });
});
