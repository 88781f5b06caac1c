import type { ClusterSpec } from '../../model/cluster-spec.ts';
import type { ProcessGroupId } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
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
import { cancelReplacements } from '../cancel.ts';
import { says } from './says.ts';

export const id = (text: string): ProcessGroupId => name(text);
export const marked = { at: at(-100), cause: 'Failed', withoutExclusion: false } as const;
export const unreachable = { unreachable: 'connection refused', since: at(-30) };

export interface World {
  readonly group?: Parameters<typeof givenGroup>[1];
  readonly process?: Parameters<typeof givenProcess>[1] | null;
  readonly spec?: Partial<ClusterSpec>;
  readonly snapshot?: Partial<Snapshot>;
}

/** storage-1 is listed, and one of three that are wanted. */
export function snapshotOf({ group = {}, process = {}, spec = {}, snapshot = {} }: World): Snapshot {
  return givenSnapshot({
    spec: givenSpec({ roles: [givenRole('storage', { count: 3 })], cancelReplacements: [id('storage-1')], ...spec }),
    processGroups: [givenGroup('storage-1', group), givenGroup('storage-2'), givenGroup('storage-3')],
    topology: givenTopology({ processes: process === null ? [] : [givenProcess('storage-1', process)] }),
    ...snapshot,
  });
}
export const cancelling = (world: World): readonly string[] => says(cancelReplacements(surveyOf(snapshotOf(world))));
