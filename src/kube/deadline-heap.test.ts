import { fc } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { monotonicMillis } from './clock.ts';
import { DeadlineHeap } from './deadline-heap.ts';

const adds = fc.array(fc.record({ key: fc.nat(60), due: fc.nat(40) }), { maxLength: 200 });
const removes = fc.array(fc.nat(60), { maxLength: 40 });

test('property: keys come out by their earliest due time, equal ones in the order in which they got it, none before its time, none that was removed', () => {
  fc.assert(
    fc.property(adds, removes, fc.nat(40), (adds, removes, now) => {
      const heap = new DeadlineHeap<number>();
      const expected = new Map<number, { key: number; due: number; order: number }>();
      for (const [order, { key, due }] of adds.entries()) {
        heap.add(key, monotonicMillis(due));
        if (due < (expected.get(key)?.due ?? Infinity)) expected.set(key, { key, due, order });
      }
      for (const key of removes) {
        heap.remove(key);
        expected.delete(key);
      }
      const sorted = [...expected.values()].sort((a, b) => a.due - b.due || a.order - b.order);
      expect(heap.next).toBe(sorted[0]?.due);
      const taken: number[] = [];
      for (let out = heap.take(monotonicMillis(now)); out !== undefined; out = heap.take(monotonicMillis(now))) {
        taken.push(out.key);
      }
      expect(taken).toEqual(sorted.filter(({ due }) => due <= now).map(({ key }) => key));
      expect(heap.size).toBe(sorted.filter(({ due }) => due > now).length);
    }),
    { numRuns: 500 },
  );
});
