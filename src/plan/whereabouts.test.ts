import { describe, expect, test } from 'vitest';
import type { Zone } from '../model/ids.ts';
import { name } from '../model/ids.ts';
import {
  at,
  givenHealth,
  givenNode,
  givenPod,
  givenProcess,
  givenShape,
  givenTopology,
} from '../model/testing/given.ts';
import type { Topology } from '../model/topology.ts';
import type { World } from './testing/observing.ts';
import { marked, observing, other, since } from './testing/observing.ts';

describe('the addresses by which the engine knows it are recorded', () => {
  const unavailable = (process: Parameters<typeof givenProcess>[1], available: boolean | 'unknown' = false) =>
    givenTopology({ processes: [givenProcess('storage-1', process), other], health: givenHealth({ available }) });
  const pair = givenPod('storage-1', { shape: givenShape({ processesPerPod: 2 }) });

  test.each<[string, World, readonly string[]]>([
    ['the same', { process: { addresses: ['10.0.0.1'] } }, []],
    ['a new one replaces the old one', { process: { addresses: ['10.0.0.7'] } }, ['addresses storage-1 [10.0.0.7]']],
    ['none erases nothing', { process: { addresses: [] } }, []],
    ['an empty one erases nothing', { process: { addresses: [''] } }, []],
    ['several, sorted', { process: { addresses: ['b', 'a'] } }, ['addresses storage-1 [a, b]']],
    ['the same in another order', { process: { addresses: ['b', 'a'] }, group: { addresses: ['b', 'a'] } }, []],
    ['twice the same', { process: { addresses: ['a', 'a'] }, group: { addresses: ['a'] } }, []],
    ['one fewer', { process: { addresses: ['a'] }, group: { addresses: ['a', 'b'] } }, ['addresses storage-1 [a]']],
    [
      'while it is marked old ones are kept',
      { process: { addresses: ['10.0.0.7'] }, group: { removal: marked } },
      ['addresses storage-1 [10.0.0.1, 10.0.0.7]'],
    ],
    [
      'while it may still be excluded old ones are kept',
      { process: { addresses: ['10.0.0.7'] }, group: { evacuationAt: at(-50) } },
      ['addresses storage-1 [10.0.0.1, 10.0.0.7]'],
    ],
    [
      'while the engine does not serve old ones are kept',
      { topology: unavailable({ addresses: ['10.0.0.7'] }) },
      ['addresses storage-1 [10.0.0.1, 10.0.0.7]'],
    ],
    [
      'while nobody knows whether it serves old ones are kept',
      { topology: unavailable({ addresses: ['10.0.0.7'] }, 'unknown') },
      ['addresses storage-1 [10.0.0.1, 10.0.0.7]'],
    ],
    [
      'while one of two processes is missing old ones are kept',
      { process: { addresses: ['10.0.0.7'] }, group: { pod: pair, conditions: [since('MissingProcesses')] } },
      ['addresses storage-1 [10.0.0.1, 10.0.0.7]'],
    ],
  ])('%s', (_, world, expected) => {
    expect(observing(world)).toEqual(expected);
  });

  test('no more than 16 are kept, the newest of them', () => {
    const old = Array.from({ length: 16 }, (_, index) => `old-${index}`);
    expect(observing({ process: { addresses: ['new'] }, group: { removal: marked, addresses: old } })).toEqual([
      `addresses storage-1 [${[...old.slice(1), 'new'].join(', ')}]`,
    ]);
  });

  test('they are recorded while the zone is under maintenance too', () => {
    const maintenance = { zone: name<Zone>('zone-1'), since: at(-5), until: at(5) };
    expect(observing({ maintenance, process: { addresses: ['10.0.0.7'] } })).toEqual([
      'addresses storage-1 [10.0.0.7]',
    ]);
  });
});

describe('its zone is recorded, and the last known one stays', () => {
  const started = (id: string, zone: string | null, seconds: number | null) =>
    givenProcess(id, {
      group: 'storage-1',
      role: 'storage',
      addresses: ['10.0.0.1'],
      zone,
      startedAt: seconds === null ? null : at(seconds),
    });
  const zones = (...processes: Topology['processes']): World => ({ topology: givenTopology({ processes }) });
  const nodes = [givenNode('node-of-storage-1', { zone: 'rack-7' })];

  test.each<[string, World, readonly string[]]>([
    ['another one', { process: { zone: 'zone-7' } }, ['zone storage-1 zone-7']],
    ['no answer', { process: { zone: null } }, []],
    ['the first one', { group: { zone: null } }, ['zone storage-1 zone-1']],
    ['of two, the one that started last', zones(started('a', 'x', -50), started('b', 'y', -40)), ['zone storage-1 y']],
    ['of two, whatever their order', zones(started('b', 'y', -40), started('a', 'x', -50)), ['zone storage-1 y']],
    ['of two, one without a start', zones(started('a', 'x', null), started('b', 'y', -40)), ['zone storage-1 y']],
    [
      'of two that started together, the first by id',
      zones(started('b', 'y', 0), started('a', 'x', 0)),
      ['zone storage-1 x'],
    ],
    ['of two, the one that has a zone', zones(started('a', null, 0), started('b', 'y', -40)), ['zone storage-1 y']],
    ['the node tells it where the engine does not', { process: { zone: null }, nodes }, ['zone storage-1 rack-7']],
    ['the engine is asked before the node', { nodes }, []],
    [
      'no pod, so no node tells it',
      { process: { zone: null }, nodes, group: { pod: null, conditions: [since('MissingPod')] } },
      [],
    ],
    [
      'no node yet',
      {
        process: { zone: null },
        nodes,
        group: { pod: givenPod('storage-1', { node: null, phase: 'Pending' }), conditions: [since('PodPending')] },
      },
      [],
    ],
    ['a node without a zone', { process: { zone: null }, nodes: [givenNode('node-of-storage-1', { zone: null })] }, []],
  ])('%s', (_, world, expected) => {
    expect(observing(world)).toEqual(expected);
  });
});
