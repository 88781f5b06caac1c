import { describe, expect, test } from 'vitest';
import { someCluster } from '../testing/some-cluster.ts';
import { silenceNews } from './silence.ts';

const ready = (reason: string, at: string) => ({
  type: 'Ready',
  status: reason === 'AllAvailable' ? 'True' : 'Unknown',
  reason,
  message: reason === 'EngineUnreachable' ? 'the engine does not answer: connection refused' : 'fine',
  lastTransitionTime: `2026-11-15T${at}.000Z`,
  observedGeneration: 1,
});
const statusOf = (reason: string | null, at: string, isUp = true) =>
  someCluster({
    status: {
      bootstrapTimestamp: isUp ? '2026-11-15T00:00:00.000Z' : null,
      conditions: reason === null ? [] : [ready(reason, at)],
    },
  }).cluster.status;
const [silent, fine] = ['EngineUnreachable', 'AllAvailable'];

const fellSilent =
  'Warning EngineSilent: the engine does not answer: connection refused. Nothing is begun, moved or removed until it answers';

describe('an engine that falls silent is told of once, and so is that it answers again', () => {
  test.each<[string | null, string | null, boolean, string]>([
    [fine, fine, true, 'nothing'],
    [fine, silent, true, fellSilent],
    [null, silent, true, fellSilent],
    [silent, silent, true, 'nothing'],
    [silent, fine, true, 'Normal EngineAnswers: the engine answers again, after 90 s'],
    [silent, 'ProcessGroupsUnavailable', true, 'Normal EngineAnswers: the engine answers again, after 90 s'],
    [null, silent, false, 'nothing'],
    [silent, fine, false, 'nothing'],
  ])('from %s to %s, with a database that was up: %s', (before, after, isUp, expected) => {
    const { conditions, bootstrapTimestamp: upSince } = statusOf(before, '10:00:00', isUp);
    const news = silenceNews({ conditions, upSince }, statusOf(after, '10:01:30'), 'Ready');
    expect(news === undefined ? 'nothing' : `${news.type} ${news.reason}: ${news.note}`).toBe(expected);
  });
});
