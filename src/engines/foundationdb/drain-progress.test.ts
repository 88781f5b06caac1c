import { describe, expect, test } from 'vitest';
import type { ProcessGroupId } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import { instant } from '../../model/time.ts';
import { DrainProgress } from './drain-progress.ts';

const group = name<ProcessGroupId>('storage-41');

describe('how far a drain is', () => {
  test('is told from the most that was seen, and starts anew for one that came back', () => {
    const progress = new DrainProgress();
    const at = (second: number, bytes: number | null) =>
      progress.note(new Map([[group, bytes]]), instant(second * 1000)).get(group);
    expect(at(0, 1000)).toEqual({ percent: 0, secondsLeft: null });
    expect(at(10, 750)).toEqual({ percent: 25, secondsLeft: 30 });
    expect(at(20, null)).toEqual({ percent: null, secondsLeft: null });
    expect(at(30, 250)).toEqual({ percent: 75, secondsLeft: 10 });
    expect(at(40, 2000)).toEqual({ percent: 0, secondsLeft: null });
    expect(at(50, 0)).toEqual({ percent: 100, secondsLeft: 0 });
    expect(progress.note(new Map(), instant(60_000)).size).toBe(0);
    expect(at(70, 0)).toEqual({ percent: null, secondsLeft: null });
  });
});
