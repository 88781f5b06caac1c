import type { Condition } from '../../api/v1alpha1/condition.schema.ts';
import { momentOf } from '../status/moments.ts';

/** What a status says of an engine. */
interface Spoken {
  readonly conditions: readonly Condition[];
  /** When it was first known to be set up, or last read; null: it was never up. */
  readonly upSince: string | null;
}

/** What there is to tell of an engine that fell silent, or speaks again. */
export interface SilenceNews {
  readonly type: 'Normal' | 'Warning';
  readonly reason: 'EngineSilent' | 'EngineAnswers';
  readonly note: string;
}

/** The news between two states of a database that was up before, by the condition that tells of it; undefined: none. */
export function silenceNews(
  before: Spoken,
  after: Pick<Spoken, 'conditions'>,
  condition: 'Ready' | 'Healthy',
): SilenceNews | undefined {
  if (before.upSince === null) return undefined;
  const [was, is] = [silent(before, condition), silent(after, condition)];
  if (was === undefined && is !== undefined)
    return {
      type: 'Warning',
      reason: 'EngineSilent',
      note: `${is.message}. Nothing is begun, moved or removed until it answers`,
    };
  if (was === undefined || is !== undefined) return undefined;
  const now = after.conditions.find(({ type }) => type === condition)?.lastTransitionTime ?? was.lastTransitionTime;
  const lasted = Math.round((momentOf(now) - momentOf(was.lastTransitionTime)) / 1000);
  return { type: 'Normal', reason: 'EngineAnswers', note: `the engine answers again, after ${lasted} s` };
}

const silent = ({ conditions }: Pick<Spoken, 'conditions'>, condition: string): Condition | undefined =>
  conditions.find(({ type, reason }) => type === condition && reason === 'EngineUnreachable');
