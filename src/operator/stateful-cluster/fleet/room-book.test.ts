import { describe, expect, test } from 'vitest';
import type { KeyText } from '../../../kube/object.ts';
import { keyText } from '../../../kube/object.ts';
import { at } from '../../../model/testing/given.ts';
import { pool, request } from '../../../plan/testing/given-fleet.ts';
import type { Entry } from './room-book.ts';
import { RoomBook } from './room-book.ts';

const key = (name: string): KeyText => keyText({ namespace: 'db', name });
const entry = (given: Partial<Entry>): Entry => ({ held: [], wanted: [], inUse: [], ...given });
const nobody = new Map();
const oneFree = [pool({ free: { cpu: 1 } })];

const bookOf = (entries: Readonly<Record<string, Partial<Entry>>>): RoomBook => {
  const book = new RoomBook();
  for (const [name, given] of Object.entries(entries)) book.note(key(name), 'db', entry(given), at(0));
  return book;
};
const reserved = (book: RoomBook, seconds = 0, recorded: ReadonlyMap<KeyText, readonly never[]> = nobody) =>
  [...book.shares('db', oneFree, recorded, at(seconds))].map(([of, share]) => [of, share.reserved]);
const held = (cpu: number) => request('a-2', { holds: 'reserved', needs: { cpu } });

describe('the room book', () => {
  test('keeps what was given for whoever has not taken it up', () => {
    const book = bookOf({ a: { held: [held(1)] }, b: { wanted: [request('b-1', { since: at(-9) })] } });
    expect(reserved(book)).toEqual([
      ['db/a', ['a-2']],
      ['db/b', []],
    ]);
  });

  test('knows from the record what those have that were not looked at since it began, and nothing else', () => {
    const book = bookOf({ b: { wanted: [request('b-1')] } });
    const recorded = new Map([
      [key('a'), [held(1)]],
      [key('b'), [request('b-9', { holds: 'reserved' })]],
    ]);
    const shares = book.shares('db', oneFree, recorded, at(0));
    expect([shares.get('db/a')?.reserved, shares.get('db/b')?.reserved]).toEqual([['a-2'], []]);
  });

  test('counts for 5 s what was just made, because the quota may not yet', () => {
    const book = bookOf({ a: { held: [held(1)] }, b: { wanted: [request('b-1')] } });
    book.note(key('a'), 'db', entry({}), at(1));
    expect(reserved(book, 5)).toContainEqual(['db/b', []]);
    expect(reserved(book, 6)).toContainEqual(['db/b', ['b-1']]);
  });

  test('counts of what was just made only the part that was', () => {
    const book = bookOf({ a: { held: [held(3)] } });
    book.note(key('a'), 'db', entry({ held: [held(2)] }), at(1));
    const [share] = book.shares('db', [pool({ free: { cpu: 3 } })], nobody, at(2)).values();
    expect(share?.reserved).toEqual(['a-2']);
    expect([...book.shares('db', [pool({ free: { cpu: 2 } })], nobody, at(2)).values()][0]?.reserved).toEqual([]);
  });

  test('does not let one wait for ever behind a cluster that nobody gets to look at', () => {
    const book = bookOf({ a: { wanted: [request('a-1', { since: at(-9) })] } });
    book.note(key('b'), 'db', entry({ wanted: [request('b-1')] }), at(80));
    expect(reserved(book, 89)).toContainEqual(['db/b', []]);
    expect(reserved(book, 90)).toContainEqual(['db/b', ['b-1']]);
  });

  test('has one request for one that lacks something itself and waits for its successor', () => {
    const both = { held: [request('a-1', { holds: 'reserved' })], wanted: [request('a-1', { needs: { cpu: 2 } })] };
    expect(reserved(bookOf({ a: both }))).toEqual([['db/a', []]]);
  });

  test('tells who waits, by namespace', () => {
    const book = bookOf({ a: { held: [held(1)] }, b: { wanted: [request('b-1')] } });
    expect([book.waiting('db'), book.waiting('other')]).toEqual([[key('b')], []]);
    expect([book.forget(key('b')), book.forget(key('b')), book.waiting('db')]).toEqual([true, false, []]);
  });
});
