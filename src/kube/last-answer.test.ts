import { describe, expect, test } from 'vitest';
import { LastAnswer } from './last-answer.ts';

const bytes = (text: string) => Buffer.from(text);
const parse = (body: Uint8Array): { readonly count?: number } => JSON.parse(Buffer.from(body).toString());

describe('an answer that is asked for again and again', () => {
  test('is the very same while its bytes are the same, wherever they lie', () => {
    const last = new LastAnswer<object>();
    const first = last.read(bytes('{"count":1}'), parse);
    expect(last.read(bytes(' {"count":1} ').subarray(1, 12), parse)).toBe(first);
  });

  test.each(['{"count":2}', '{"count":1 }', '{"count":1}\n'])('is parsed again where it is %j now', (text) => {
    const last = new LastAnswer<object>();
    const first = last.read(bytes('{"count":1}'), parse);
    const second = last.read(bytes(text), parse);
    expect(second).not.toBe(first);
    expect(second).toEqual(JSON.parse(text));
  });

  test('is not forgotten for half an answer, which is refused every time', () => {
    const last = new LastAnswer<object>();
    const first = last.read(bytes('{"count":1}'), parse);
    expect(() => last.read(bytes('{"count":'), parse)).toThrow(SyntaxError);
    expect(() => last.read(bytes('{"count":'), parse)).toThrow(SyntaxError);
    expect(last.read(bytes('{"count":1}'), parse)).toBe(first);
  });
});
