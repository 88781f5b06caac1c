import { decide } from '../../decide.ts';
import { seconds } from '../../kube/clock.ts';
import type { Answer, Decision } from '../../model/decision.ts';
import { name } from '../../model/ids.ts';
import type { Pod } from '../../model/process-group.ts';
import type { Reason } from '../../model/reason.ts';
import { at, givenAsk, givenPod, givenSnapshot } from '../../model/testing/given.ts';
import type { AskRow } from '../lock/ask-row.ts';
import type { Desk } from '../lock/desk.ts';
import { guardKey } from '../lock/desk.ts';

type Found = NonNullable<ReturnType<Desk['find']>>;

/** What a test says of the pod that an eviction is about. */
export interface GivenFound {
  readonly pod?: Parameters<typeof givenPod>[1];
  readonly locked?: boolean;
  readonly eviction?: Answer;
  /** What the plan waits for, in its order. */
  readonly waits?: readonly Reason[];
  /** The step of the plan that waits for it. */
  readonly waitsIn?: string;
  readonly actions?: Decision['actions'];
  readonly asks?: readonly AskRow[];
  readonly leaving?: readonly string[];
  /** Seconds since it was decided. */
  readonly age?: number;
}

export function givenAskRow(group: string, given: Partial<AskRow> = {}): AskRow {
  const { wants: _, ...ask } = givenAsk(group);
  return { ...ask, name: group, times: 1, cordoned: false, letGoAt: null, ...given };
}

/** The pod `storage-1` of `db/orders`, running on n1 and locked, of which every rule says that it may go. */
export function givenFound(given: GivenFound = {}): Found {
  const pod: Pod = givenPod('storage-1', { node: 'n1', ...given.pod });
  const { eviction = { kind: 'allow' }, waits = [], asks = [], leaving = [], locked = true, age = 0 } = given;
  const group = name('storage-1');
  const decision: Decision = {
    ...decide(givenSnapshot({ now: at(0) })),
    verdicts: [{ group: name('storage-1'), eviction, replacement: { kind: 'allow' } }],
    actions: given.actions ?? [],
    holds: waits.map((reason) => ({ step: given.waitsIn ?? 'grants', group: name('storage-1'), reason })),
  };
  const guarded = { group: name<Found['guarded']['group']>(group), pod, locked };
  return {
    guard: guardKey('StatefulCluster', 'db/orders'),
    guarded,
    published: { decision, pods: new Map([[pod.name, guarded]]), asks, leaving: new Set(leaving) },
    age: seconds(age),
  };
}
