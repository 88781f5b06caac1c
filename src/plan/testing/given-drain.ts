import type { Drain, DrainNode, DrainPlan, DrainPod, GuardWord } from '../../model/drain.ts';
import { name } from '../../model/ids.ts';
import { at } from '../../model/testing/given.ts';
import { planDrain } from '../plan-drain.ts';

/** A pod that a controller made and nobody guards. */
export const pod = (text: string, given: Partial<DrainPod> = {}): DrainPod => ({
  name: text,
  uid: name(`uid-${text}`),
  resourceVersion: '1',
  madeBy: 'Controller',
  workload: text,
  mirror: false,
  emptyDir: false,
  finished: false,
  deletingSince: null,
  goneBy: null,
  budgets: [],
  guarded: null,
  refused: null,
  ...given,
});
const word = (given: Partial<GuardWord> = {}): GuardWord => ({
  by: name('db/orders'),
  verdict: 'wait',
  reasons: [{ code: 'NotDrained', message: 'its data is being moved', since: at(-60), until: null }],
  progressPercent: null,
  estimatedEnd: null,
  ...given,
});
/** A pod of a database that is guarded. */
export const guarded = (text: string, given: Partial<GuardWord> = {}, more: Partial<DrainPod> = {}) =>
  pod(`db/${text}`, { guarded: word(given), ...more });
/** What a guard says of a pod that it never lets go. */
export const never: Partial<GuardWord> = {
  verdict: 'never',
  reasons: [{ code: 'NeverEvicted', message: 'a single server', since: at(-60), until: null }],
};
/** A cordoned node that was not begun. */
export const node = (text: string, pods: readonly DrainPod[], given: Partial<DrainNode> = {}): DrainNode => ({
  name: name(text),
  exists: true,
  cordoned: true,
  recorded: 'Pending',
  heldBy: null,
  attached: [],
  leaving: [],
  pods,
  ...given,
});
/** A drain of one node after the other, with the settings that kubectl drain begins with. */
export const drain = (nodes: readonly DrainNode[], given: Partial<Drain> = {}): Drain => ({
  name: 'upgrade',
  now: at(0),
  nodes,
  maxConcurrentNodes: 1,
  deadline: null,
  pods: { ignoreDaemonSets: true, deleteEmptyDirData: false, force: false },
  ...given,
});

/** A plan in lines: nodes with their phases, what each pod waits for, and what is done now. */
export function lines({ outlook, nodes, cordon, evict }: DrainPlan): readonly string[] {
  return [
    outlook,
    ...nodes.flatMap(({ name: of, phase, reasons, podsLeft, waiting }) => [
      [of, phase, podsLeft, ...reasons.map(({ code }) => code)].join(' '),
      ...waiting.map(
        ({ pod: which, kind, reasons: why }) => `  ${which} ${kind} ${why.map(({ code }) => code).join(' ')}`,
      ),
    ]),
    ...cordon.map((which) => `cordon ${which}`),
    ...evict.map(({ name: which, node: on, precondition }) => `evict ${which} on ${on} ${precondition.uid}`),
  ];
}
/** The plan of a drain, in lines. */
export const plan = (of: Drain) => lines(planDrain(of));
/** The line of an eviction. */
export const evicts = (text: string, on = 'n1') => `evict ${text} on ${on} uid-${text}`;
