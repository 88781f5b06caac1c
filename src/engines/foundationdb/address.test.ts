import { describe, expect, test } from 'vitest';
import { exclusionWord, isIp, parseAddress } from './address.ts';

describe('addresses, as the database and people write them', () => {
  test.each`
    text                              | host           | port    | ip       | word
    ${'10.0.0.9'}                     | ${'10.0.0.9'}  | ${null} | ${true}  | ${'10.0.0.9'}
    ${'10.0.0.9:4501'}                | ${'10.0.0.9'}  | ${4501} | ${true}  | ${'10.0.0.9:4501'}
    ${'10.0.0.9:4501:tls'}            | ${'10.0.0.9'}  | ${4501} | ${true}  | ${'10.0.0.9:4501'}
    ${'10.0.0.9:4501(fromHostname)'}  | ${'10.0.0.9'}  | ${4501} | ${true}  | ${'10.0.0.9:4501'}
    ${'10.0.0.9:1:tls(fromHostname)'} | ${'10.0.0.9'}  | ${1}    | ${true}  | ${'10.0.0.9:1'}
    ${'fd00::9'}                      | ${'fd00::9'}   | ${null} | ${true}  | ${'fd00::9'}
    ${'[fd00::9]:4501:tls'}           | ${'fd00::9'}   | ${4501} | ${true}  | ${'[fd00::9]:4501'}
    ${'log-7.svc:4501'}               | ${'log-7.svc'} | ${4501} | ${false} | ${'log-7.svc:4501'}
  `('$text', ({ text, host, port, ip, word }) => {
    const address = parseAddress(text);
    expect(address).toEqual({ host, port });
    expect(address === undefined ? undefined : [isIp(address), exclusionWord(address)]).toEqual([ip, word]);
  });

  test.each([
    '',
    ':4501',
    '10.0.0.9:99999',
    '10.0.0.9 10.0.0.10',
    'a;b',
    '[10.0.0.9]',
    '[::1',
    '10.0.0.9:tls:4501',
    '"',
  ])('%j is none', (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });
});
