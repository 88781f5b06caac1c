import type { ConditionType, GroupCondition } from '../../model/process-group.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import {
  at,
  givenGroup,
  givenProcess,
  givenRole,
  givenSnapshot,
  givenSpec,
  givenTopology,
} from '../../model/testing/given.ts';
import { surveyOf } from '../../rules/survey.ts';
import { observeConditions } from '../observe-conditions.ts';
import { says } from './says.ts';

export type Partly = Parameters<typeof givenGroup>[1];

export const other = givenProcess('storage-9');
export const marked = { at: at(-100), cause: 'Requested', withoutExclusion: false } as const;
export const since = (type: ConditionType, seconds = -60): GroupCondition => ({ type, since: at(seconds) });

export interface World extends Partial<Snapshot> {
  readonly group?: Partly;
  readonly process?: Parameters<typeof givenProcess>[1] | null;
}

/** One storage group, with its process unless told otherwise, in a cluster that has another. */
export function observing({ group = {}, process = {}, ...snapshot }: World = {}): readonly string[] {
  const processes = [...(process === null ? [] : [givenProcess('storage-1', process)]), other];
  return says(
    observeConditions(
      surveyOf(
        givenSnapshot({
          spec: givenSpec({ roles: [givenRole('storage', { count: 2 })] }),
          processGroups: [givenGroup('storage-1', group)],
          topology: givenTopology({ processes }),
          ...snapshot,
        }),
      ),
    ),
  );
}
