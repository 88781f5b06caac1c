import { describe, expect, test } from 'vitest';
import { millis, seconds } from '../../kube/clock.ts';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import { Agenda } from './agenda.ts';

function given(): { readonly clock: VirtualClock; readonly agenda: Agenda; readonly happened: string[] } {
  const clock = new VirtualClock();
  return { clock, agenda: new Agenda(clock), happened: [] };
}

describe('an agenda', () => {
  test('does things in the order of their times, equal ones in the order in which they were set, on one timer', async () => {
    const { clock, agenda, happened } = given();
    agenda.set('b', seconds(2), () => happened.push('b'));
    agenda.set('a', seconds(1), () => happened.push('a'));
    agenda.set('c', seconds(2), () => happened.push('c'));
    expect(clock.pending).toBe(1);
    await clock.pass(seconds(1));
    expect(happened).toEqual(['a']);
    await clock.pass(seconds(1));
    expect(happened).toEqual(['a', 'b', 'c']);
    expect(clock.pending).toBe(0);
  });

  test('replaces what is set again, and forgets what is cancelled', async () => {
    const { clock, agenda, happened } = given();
    agenda.set('a', seconds(1), () => happened.push('first'));
    agenda.set('a', seconds(3), () => happened.push('second'));
    agenda.set('b', seconds(1), () => happened.push('b'));
    agenda.cancel('b');
    agenda.cancel('never set');
    await clock.pass(seconds(2));
    expect(happened).toEqual([]);
    await clock.pass(seconds(1));
    expect(happened).toEqual(['second']);
  });

  test('does what is set for now while something happens, in the same turn', async () => {
    const { clock, agenda, happened } = given();
    agenda.set('a', seconds(1), () => agenda.set('b', millis(0), () => happened.push('b')));
    await clock.pass(seconds(1));
    expect(happened).toEqual(['b']);
  });

  test('is never early: a fraction of a millisecond is rounded up', async () => {
    const { clock, agenda, happened } = given();
    agenda.set('a', millis(1.2), () => happened.push('a'));
    await clock.pass(millis(1.5));
    expect(happened).toEqual([]);
    await clock.pass(millis(0.5));
    expect(happened).toEqual(['a']);
  });
});
