import type { AutomaticReplacement } from '../../model/cluster-spec.ts';
import { name } from '../../model/ids.ts';
import type { Node, Taint } from '../../model/node.ts';
import type { ConditionType, TaintClock } from '../../model/process-group.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { at, givenGroup, givenNode, givenPod, givenSnapshot, givenSpec } from '../../model/testing/given.ts';
import type { Duration } from '../../model/time.ts';
import { seconds } from '../../model/time.ts';
import { surveyOf } from '../../rules/survey.ts';
import { observeTaints } from '../taints.ts';
import { says } from './says.ts';

export type Partly = Parameters<typeof givenGroup>[1];
export type Options = readonly (readonly [key: string, duration: number | 'never'])[];

export const ignoreOne: Options = [
  ['*', 3600],
  ['a/ignore', 'never'],
];
export const marked = { at: at(-100), cause: 'Tainted', withoutExclusion: false } as const;

export const replacements = (options: Options, given: Partial<AutomaticReplacement> = {}): AutomaticReplacement => ({
  enabled: true,
  failureDetectionTime: seconds(7200),
  maxConcurrentReplacements: 1,
  taints: options.map(([key, duration]) => ({ key, duration: durationOf(duration) })),
  taintReplacementTime: seconds(1800),
  maxTaintedZones: null,
  ...given,
});
const durationOf = (value: number | 'never'): Duration => (value === 'never' ? value : seconds(value));

/** `timeAdded` null: as `kubectl taint` leaves it. */
export const taint = (key: string, added: number | null = null, effect: Taint['effect'] = 'NoSchedule'): Taint => ({
  key,
  effect,
  timeAdded: added === null ? null : at(added),
});
export const clock = (key: string, since: number, node = 'n1'): TaintClock => ({
  key,
  since: at(since),
  node: name(node),
});
export const held = (type: ConditionType, since = -50) => ({ type, since: at(since) });

/** A storage group on node n1, and what is on that node. */
export interface World {
  readonly options?: Options;
  readonly taints?: readonly Taint[];
  readonly group?: Partly;
  readonly enabled?: boolean;
  readonly nodes?: readonly Node[] | null;
  readonly now?: number;
  readonly cancel?: boolean;
  readonly snapshot?: Partial<Snapshot>;
}

/** All that is said of its taints. */
export function observing({
  options = ignoreOne,
  taints = [],
  group = {},
  now = 0,
  ...world
}: World): readonly string[] {
  const { enabled = true, cancel = false, snapshot = {} } = world;
  const spec = givenSpec({
    replacements: replacements(options, { enabled }),
    cancelReplacements: cancel ? [name('storage-1')] : [],
  });
  const nodes = world.nodes === undefined ? [givenNode('n1', { taints })] : world.nodes;
  const processGroups = [givenGroup('storage-1', { pod: givenPod('storage-1', { node: 'n1' }), ...group })];
  return says(observeTaints(surveyOf(givenSnapshot({ now: at(now), spec, processGroups, nodes, ...snapshot }))));
}
