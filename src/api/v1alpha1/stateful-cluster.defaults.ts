import type { StatefulClusterSpec } from './stateful-cluster.schema.ts';

export type PodUpdateStrategy = NonNullable<StatefulClusterSpec['automationOptions']['podUpdateStrategy']>;

/** The roll-out of a changed pod template. The default depends on the engine, which a schema cannot say. */
export function podUpdateStrategy(spec: Pick<StatefulClusterSpec, 'engine' | 'automationOptions'>): PodUpdateStrategy {
  return (
    spec.automationOptions.podUpdateStrategy ??
    (spec.engine.type === 'foundationdb' ? 'ReplaceTransactionSystem' : 'Delete')
  );
}

type Replacements = StatefulClusterSpec['automationOptions']['replacements'];

/** Whether the failure detector's CronJob should exist. */
export function detectorEnabled(replacements: Pick<Replacements, 'detector' | 'enabled'>): boolean {
  return replacements.detector.enabled ?? replacements.enabled;
}

/**
 * When the failure detector's CronJob runs: once every failure detection time, or more often, because cron can only
 * count in parts of an hour, parts of a day, days and weeks.
 */
export function detectorSchedule(replacements: Pick<Replacements, 'detector' | 'failureDetectionTimeSeconds'>): string {
  if (replacements.detector.schedule !== null) return replacements.detector.schedule;
  const minutes = Math.floor(replacements.failureDetectionTimeSeconds / 60);
  if (minutes < 60) return `*/${largestDivisor(60, minutes)} * * * *`;
  if (minutes < 24 * 60) return `0 */${largestDivisor(24, Math.floor(minutes / 60))} * * *`;
  return minutes < 7 * 24 * 60 ? '0 0 * * *' : '0 0 * * 0';
}

/** The largest divisor of `whole` that is not above `limit`: a step that does not divide the hour would run unevenly. */
function largestDivisor(whole: number, limit: number): number {
  for (let step = limit; step > 1; step--) if (whole % step === 0) return step;
  return 1;
}
