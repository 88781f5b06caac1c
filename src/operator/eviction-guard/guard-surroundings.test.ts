import { describe, expect, test } from 'vitest';
import { at, givenGroup } from '../../model/testing/given.ts';
import { seenPods, someGuard, somePod } from '../testing/some-guard.ts';
import { guardSurroundings } from './guard-surroundings.ts';
import { hostOf } from './host-of.ts';
import { membersOf } from './members.ts';

const guard = someGuard();
const members = membersOf(guard.spec, seenPods(somePod('ledger-0')));
const away = givenGroup('ledger-1', { pod: null, addresses: ['10.0.0.11:80', '10.0.0.1:80'], evacuationAt: at(-5) });
const client = { exec: () => Promise.reject(new Error('not asked')) };
const whereabouts = { client, connections: { known: () => null } };
const surroundings = guardSurroundings(guard, members, [givenGroup('ledger-0'), away], whereabouts);

describe('what the engine of a guard may ask', () => {
  test.each`
    host           | whose
    ${'10.0.0.1'}  | ${'ledger-0'}
    ${'10.0.0.11'} | ${'ledger-1'}
    ${'10.0.0.12'} | ${undefined}
  `('$host is the address of $whose', ({ host, whose }) => {
    expect(surroundings.groupAt(host)).toBe(whose);
  });

  test('pods that are away are known by their names, and reached nowhere', () => {
    expect(surroundings.pods()).toEqual([
      { name: 'ledger-0', group: 'ledger-0', addresses: ['10.0.0.1'], ready: true },
      { name: 'ledger-1', group: 'ledger-1', addresses: [], ready: false },
    ]);
  });

  test.each`
    named                           | known
    ${undefined}                    | ${''}
    ${{ name: 'fdb', key: 'file' }} | ${null}
  `('with the ConfigMap $named the connection string is $known', ({ named, known }) => {
    const foundationdb = named === undefined ? {} : { connectionString: named };
    const roles = [{ name: 'storage', selector: { matchLabels: { app: 'fdb' } } }];
    const one = someGuard({ engine: { type: 'foundationdb', foundationdb }, roles });
    expect(guardSurroundings(one, [], [], whereabouts).connectionString()).toBe(known);
  });
});

test.each`
  address                | host
  ${'10.0.0.7'}          | ${'10.0.0.7'}
  ${'10.0.0.7:4501'}     | ${'10.0.0.7'}
  ${'10.0.0.7:4501:tls'} | ${'10.0.0.7'}
  ${'fd00::7'}           | ${'fd00::7'}
  ${'[fd00::7]:4501'}    | ${'fd00::7'}
`('the host of $address is $host', ({ address, host }) => {
  expect(hostOf(address)).toBe(host);
});
