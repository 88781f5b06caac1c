import { describe, expect, test } from 'vitest';
import { parseStatus } from './parse-status.ts';
import { changed, fixture, fixtureNames, pathOf } from './testing/fixture.ts';

/** The words with which it is refused; undefined: it is not. */
function refusal(text: string): string | undefined {
  try {
    parseStatus(text);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

const healthy = fixture('healthy-7.3');

describe('a status', () => {
  test.each(fixtureNames)('of %s is read', (name) => {
    expect(refusal(fixture(name))).toBeUndefined();
  });

  test('with fields that nobody knows is read', () => {
    expect(refusal(changed(healthy, { new: 1, 'cluster/new': {}, 'client/new': [] }))).toBeUndefined();
  });
});

describe('what is no status is refused, with what is wrong', () => {
  test.each([
    ['', 'fdbcli printed nothing for status json'],
    ['  \n', 'fdbcli printed nothing for status json'],
    ['Segmentation fault\u0007\n', 'fdbcli printed no JSON but "Segmentation fault"'],
    ['{', 'in the middle'],
    [healthy.slice(0, healthy.length / 2), 'in the middle'],
    ['{"client": tru}', 'in the middle, or is no JSON'],
    ['{"client": []}', 'client: Invalid input: expected object, received array'],
    [
      changed(healthy, { 'cluster/recovery_state/active_generations': '1' }),
      'cluster.recovery_state.active_generations',
    ],
    [
      changed(healthy, { [`${pathOf(healthy, 'log-7')}/excluded`]: 'yes' }),
      'excluded: Invalid input: expected boolean',
    ],
    [changed(healthy, { [`${pathOf(healthy, 'log-7')}/roles`]: {} }), 'roles: Invalid input: expected array'],
  ])('%.20j: %s', (text, words) => {
    expect(refusal(text)).toMatch(/^EngineUnreachable: /);
    expect(refusal(text)).toContain(words);
  });
});

describe('what contradicts itself is refused', () => {
  test.each([
    [{ 'client/coordinators/quorum_reachable': false }, 'available without a quorum'],
    [{ 'cluster/database_available': false }, 'available to the client, and is not available'],
    [{ 'cluster/recovery_state/name': 'recruiting_transaction_servers' }, 'available in state recruiting'],
    [{ 'cluster/recovery_state/active_generations': 0 }, 'available with 0 log generations'],
    [
      {
        'client/coordinators/coordinators': [
          { address: 'a:1', reachable: true },
          { address: 'b:1', reachable: false },
        ],
      },
      'a quorum of coordinators is reachable, and only 1 of 2 are',
    ],
  ])('%j: %s', (changes, words) => {
    expect(refusal(changed(healthy, changes))).toContain(words);
  });
});
