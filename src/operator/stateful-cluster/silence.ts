import type { Cluster } from './cluster.ts';
import { momentOf } from './moments.ts';

type Status = Cluster['status'];

/** What there is to tell of an engine that fell silent, or speaks again. */
export interface SilenceNews {
  readonly type: 'Normal' | 'Warning';
  readonly reason: 'EngineSilent' | 'EngineAnswers';
  readonly note: string;
}

/** The news between two states of a database that was up before; undefined: none. */
export function silenceNews(before: Status, after: Status): SilenceNews | undefined {
  if (before.bootstrapTimestamp === null) return undefined;
  const [was, is] = [silentReady(before), silentReady(after)];
  if (was === undefined && is !== undefined)
    return {
      type: 'Warning',
      reason: 'EngineSilent',
      note: `${is.message}. Nothing is begun, moved or removed until it answers`,
    };
  if (was === undefined || is !== undefined) return undefined;
  const now = after.conditions.find(({ type }) => type === 'Ready')?.lastTransitionTime ?? was.lastTransitionTime;
  const lasted = Math.round((momentOf(now) - momentOf(was.lastTransitionTime)) / 1000);
  return { type: 'Normal', reason: 'EngineAnswers', note: `the engine answers again, after ${lasted} s` };
}

const silentReady = ({ conditions }: Status) =>
  conditions.find(({ type, reason }) => type === 'Ready' && reason === 'EngineUnreachable');
