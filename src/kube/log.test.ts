import { describe, expect, test } from 'vitest';
import { ConfigurationError, ConnectionLost } from './errors.ts';
import type { LogLevel, LogValues } from './log.ts';
import { jsonLogger } from './log.ts';
import { VirtualClock } from './testing/virtual-clock.ts';

function logged(level: LogLevel = 'debug') {
  const lines: string[] = [];
  const log = jsonLogger({
    clock: new VirtualClock('2026-11-15T12:00:00Z'),
    level,
    destination: { write: (line) => lines.push(line) },
  });
  return { log, lines, line: (): unknown => JSON.parse(lines.at(-1) ?? 'null') };
}

describe('a line is one JSON object: a constant message, and values under keys', () => {
  test('time by the clock, level as a word, the values of parents included', () => {
    const { log, lines, line } = logged();
    log.with({ controller: 'nodes' }).with({ worker: 2 }).info('reconciled', { took: 12 });
    expect(line()).toEqual({
      ts: '2026-11-15T12:00:00.000Z',
      level: 'info',
      msg: 'reconciled',
      controller: 'nodes',
      worker: 2,
      took: 12,
    });
    expect(lines[0]).toMatch(/^\{.*\}\n$/);
  });

  test.each`
    level       | written
    ${'debug'}  | ${['debug', 'info', 'warn', 'error']}
    ${'info'}   | ${['info', 'warn', 'error']}
    ${'warn'}   | ${['warn', 'error']}
    ${'error'}  | ${['error']}
    ${'silent'} | ${[]}
  `('level $level writes $written', ({ level, written }: { level: LogLevel; written: string[] }) => {
    const { log, lines } = logged(level);
    log.debug('debug');
    log.info('info');
    log.warn('warn');
    log.error('error');
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(written);
  });

  test('a value cannot hide a field of the line itself', () => {
    const { log, line } = logged();
    log.info('kept', { msg: 'mine', level: 'low', ts: 1 });
    expect(line()).toMatchObject({ msg: 'kept', level: 'info', msg_: 'mine', level_: 'low', ts_: 1 });
  });
});

describe('credentials are hidden, whatever holds them', () => {
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJkcm92ZXIifQ.c2lnbmF0dXJl';
  test.each<[string, LogValues]>([
    ['an authorization header', { headers: { Authorization: 'Bearer hunter2-hunter2' } }],
    ['a token by key', { token: 'hunter2-hunter2' }],
    ['a token by a longer key', { accessToken: 'hunter2-hunter2' }],
    ['a list of tokens', { 'id-token': ['hunter2-hunter2'] }],
    ['a password', { auth: [{ password: 'hunter2-hunter2' }] }],
    ['a kubeconfig field', { 'client-key-data': 'hunter2-hunter2' }],
    ['a bearer token in a text', { reason: 'sent Authorization: Bearer hunter2-hunter2 to it' }],
    ['a private key', { text: '-----BEGIN EC PRIVATE KEY-----\nhunter2-hunter2\n-----END EC PRIVATE KEY-----' }],
    ['half a private key', { text: '-----BEGIN PRIVATE KEY-----\nhunter2-hunter2' }],
    ['a password in a URL', { url: 'redis://user:hunter2-hunter2@host:6379' }],
    ['the data of a Secret', { object: { kind: 'Secret', data: { anything: 'hunter2-hunter2' } } }],
    ['an error message', { error: new Error('refused: Bearer hunter2-hunter2') }],
    ['a cause', { error: new Error('x', { cause: new Error('Bearer hunter2-hunter2') }) }],
    ['a map', { headers: new Map([['authorization', 'hunter2-hunter2']]) }],
  ])('%s', (_, values) => {
    const { log, lines } = logged();
    log.info('said', values);
    log.with(values).info('said by a child');
    expect(lines).toHaveLength(2);
    expect(lines.join('')).not.toContain('hunter2');
    expect(lines.join('')).toContain('[redacted]');
  });

  test('a JWT is known by its look', () => {
    const { log, lines } = logged();
    log.info('said', { text: `got ${jwt} from it` });
    expect(lines.join('')).toContain('got [redacted] from it');
  });

  test('what only sounds like a credential stays', () => {
    const { log, line } = logged();
    log.info('said', { secret: 'ns/webhook-certificate', tokens: 3, token: { expires: 'soon' }, key: 'ns/name' });
    expect(line()).toMatchObject({
      secret: 'ns/webhook-certificate',
      tokens: 3,
      token: { expires: 'soon' },
      key: 'ns/name',
    });
  });
});

describe('an error is described with its code and its causes', () => {
  test('an expected error has no stack, an unexpected one below it does', () => {
    const { log, line } = logged();
    const cause = new TypeError('x is not a function');
    log.error('failed', { error: new ConnectionLost('GET /api: reset', { sent: true, cause }) });
    expect(line()).toMatchObject({
      error: { name: 'ConnectionLost', code: 'ConnectionLost', message: 'GET /api: reset' },
    });
    expect(line()).not.toHaveProperty('error.stack');
    expect(line()).toHaveProperty('error.cause.stack', expect.stringContaining('log.test.ts'));
  });

  test.each<[string, unknown, boolean]>([
    ['one of ours', new ConfigurationError('no'), false],
    ['one of the system', Object.assign(new Error('x'), { code: 'ECONNRESET' }), false],
    ['a wrong call of Node', Object.assign(new TypeError('x'), { code: 'ERR_INVALID_ARG_TYPE' }), true],
    ['a plain one', new Error('x'), true],
    ['an abort', AbortSignal.abort().reason, false],
  ])('%s has a stack: %s', (_, error, stack) => {
    const { log, line } = logged();
    log.error('failed', { error });
    expect(Object.hasOwn(Object(Reflect.get(Object(line()), 'error')), 'stack')).toBe(stack);
  });

  test('errors in the middle of a value, and the parts of an aggregate, are described too', () => {
    const { log, line } = logged();
    log.error('failed', { tries: [new Error('first')], error: new AggregateError([new Error('one')], 'all') });
    expect(line()).toMatchObject({
      tries: [{ message: 'first' }],
      error: { message: 'all', errors: [{ message: 'one' }] },
    });
  });

  test('a chain of causes that closes on itself ends', () => {
    const { log, lines } = logged();
    const error = new Error('loop');
    error.cause = error;
    log.error('failed', { error });
    expect(lines).toHaveLength(1);
    expect(lines.join('').length).toBeLessThan(20_000);
  });
});

describe('nothing that is logged can break the program', () => {
  const circular: Record<string, unknown> = { name: 'me' };
  circular['self'] = circular;
  const throwing = {
    get value() {
      throw new Error('no');
    },
  };
  let deep: unknown = 'bottom';
  for (let level = 0; level < 10_000; level++) deep = { deep };

  test.each<[string, unknown, unknown]>([
    ['a cycle', circular, { name: 'me', self: '[circular]' }],
    ['a getter that throws', throwing, '[unreadable]'],
    ['a bigint', 12n, '12'],
    ['a function', () => 1, '[function]'],
    ['bytes', new Uint8Array(3), '[3 bytes]'],
    ['a set', new Set([1]), [1]],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['a thrown string', 'gone', 'gone'],
    ['null', null, null],
  ])('%s', (_, value, expected) => {
    const { log, line } = logged();
    log.info('said', { value });
    expect(line()).toMatchObject({ value: expected });
  });

  test('values that cannot be read at all still leave the message', () => {
    const { log, line } = logged();
    log.info('said', throwing);
    expect(line()).toMatchObject({ msg: 'said', values: '[unreadable]' });
  });

  test('something deeper than the stack', () => {
    const { log, lines } = logged();
    log.info('said', { deep });
    expect(lines.join('')).toContain('[deep]');
  });
});
