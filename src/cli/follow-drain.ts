import type { NodeDrainStatus } from '../api/v1alpha1/node-drain.schema.ts';
import type { Clock, EpochMillis } from '../kube/clock.ts';
import { elapsed, seconds, sleep } from '../kube/clock.ts';
import { count } from '../model/phrases.ts';
import type { DrainLook } from './drain-request.ts';
import { newsBetween, willNeverEnd } from './drain-text.ts';

/** How following a drain ended. */
export type DrainEnd = 'drained' | 'never' | 'time-up' | 'deleted' | 'stopped';

export interface Following {
  readonly clock: Clock;
  readonly read: (signal: AbortSignal) => Promise<DrainLook | undefined>;
  /** When to give up; undefined: never. */
  readonly until: EpochMillis | undefined;
  /** Hears a line of news. */
  readonly say: (line: string) => void;
  /** Hears how far it is, every second. */
  readonly show: (gone: number, all: number, more: string) => void;
}

const every = seconds(1);
/** An operator takes a new drain up within a second. */
const silence = seconds(15);

/** Follows a drain until it ends, can never end, or the time is up. The drain itself goes on whatever happens here. */
export async function followDrain(
  { clock, read, until, say, show }: Following,
  signal: AbortSignal,
): Promise<{ readonly end: DrainEnd; readonly status: NodeDrainStatus | undefined }> {
  const started = clock.monotonic();
  let before: NodeDrainStatus | undefined;
  let most = 0;
  let isWarned = false;
  try {
    for (;;) {
      const look = await read(signal);
      if (look === undefined) return { end: 'deleted', status: before };
      const { status, isCurrent } = look;
      for (const line of newsBetween(before, status)) say(line);
      before = status;
      most = Math.max(most, status.counts.podsLeft);
      show(most - status.counts.podsLeft, most, progressOf(status));
      if (status.phase === 'Completed') return { end: 'drained', status };
      if (isCurrent && willNeverEnd(status)) return { end: 'never', status };
      if (until !== undefined && clock.now() >= until) return { end: 'time-up', status };
      if (!isWarned && status.observedGeneration === 0 && elapsed(clock, started) >= silence) {
        isWarned = true;
        say('nobody has taken it up yet: is the operator running? (drover operator)');
      }
      await sleep(clock, every, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    return { end: 'stopped', status: before };
  }
}

function progressOf({ counts, estimatedEnd }: NodeDrainStatus): string {
  const waiting = counts.podsWaiting === 0 ? '' : `, ${counts.podsWaiting} waiting`;
  const end = estimatedEnd === null ? '' : `, done about ${estimatedEnd}`;
  return `${count(counts.nodesDrained, 'node')} of ${counts.nodes} drained${waiting}${end}`;
}
