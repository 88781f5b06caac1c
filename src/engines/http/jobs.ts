import { name } from '../../model/ids.ts';
import type { Job } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import { instant, seconds } from '../../model/time.ts';
import { excerpt } from '../excerpt.ts';
import { retryAt } from '../retry-at.ts';
import type { ContractTopology } from './contract.schema.ts';
import type { ContractVerb } from './contract.ts';

/** As jobs are called in a snapshot. Nothing waits for a cancelled evacuation: what it leads to is seen in the copies. */
export const jobVerbs: { readonly [verb in ContractVerb]: Job['verb'] | undefined } = {
  'hand-off': 'HandOff',
  evacuate: 'Evacuate',
  'cancel-evacuation': undefined,
  forget: 'Forget',
};

const states = { running: 'Running', done: 'Done', failed: 'Failed' } as const;

/** What the server says of what it was told to do. The server's clock may be ahead: nothing that is seen lies in the future. */
export function jobsOf({ jobs }: ContractTopology, observedAt: Instant): readonly Job[] {
  return jobs.flatMap(({ verb, group, state, since, attempts, message, percent, secondsLeft }): Job[] => {
    const known = jobVerbs[verb];
    if (known === undefined) return [];
    const from = instant(Math.min(Date.parse(since), observedAt));
    return [
      {
        verb: known,
        group: name(group),
        state: states[state],
        since: from,
        attempts,
        retryAt: state === 'failed' ? retryAt(from, attempts) : null,
        message: excerpt(message),
        percent: percent ?? null,
        secondsLeft: secondsLeft === null || secondsLeft === undefined ? null : seconds(secondsLeft),
      },
    ];
  });
}
