import { duration } from '../../model/phrases.ts';
import { seconds } from '../../model/time.ts';

/** Seconds since the run began. */
export type Moment = number;

interface Lasting {
  readonly at: Moment;
  /** How many seconds it lasts. */
  readonly lasts: number;
}

/** How the way between the operator and the API server misbehaves. */
export const wireFaults = [
  'refused',
  'conflict',
  'request-lost',
  'answer-lost',
  'slow',
  'watch-cut',
  'watch-lag',
  'watch-repeats',
  'watch-drops',
  'watch-expired',
] as const;
export type WireFault = (typeof wireFaults)[number];

/** How the way between the operator and the engine misbehaves, or the engine itself. */
export const engineFaults = ['silent', 'partial', 'slow', 'answer-lost'] as const;
export type EngineFault = (typeof engineFaults)[number];

/**
 * How a drain is done. `asked`: told to a core that has no API server to be asked. `kubectl`: a person for each node, who asks until the pods are
 * gone. `impatient`: the same, who gives up after two minutes and comes back, as cluster-autoscaler does. `NodeDrain`: by an object. `taint`: by
 * somebody who only says that the node is about to go.
 */
export const drainWays = ['kubectl', 'impatient', 'NodeDrain', 'taint'] as const;
export type DrainWay = (typeof drainWays)[number] | 'asked';

/** Who has so much patience does not give up: a drain that takes longer will never end. In seconds. */
export const patience = 3 * 3600;

/** What of its pods people change so that only a replacement can follow; besides the claims, which have a change of their own. */
export const reshapings = ['id-prefix', 'public-ip', 'processes', 'node-selector', 'resources'] as const;
export type Reshaping = (typeof reshapings)[number];

/** How the pods of a template that people got wrong fail: they end at once, never start, or run and never say that they are ready. */
export const breakages = ['crash-loop', 'never-starts', 'never-ready'] as const;
export type Breakage = (typeof breakages)[number];

/** What people change about a database. Numbers draw one of those that are there at the time. */
export type Change =
  | { readonly kind: 'pod-template'; readonly version: number }
  | { readonly kind: 'broken-template'; readonly version: number; readonly how: Breakage }
  | { readonly kind: 'claim-template'; readonly version: number }
  | { readonly kind: 'reshape'; readonly what: Reshaping; readonly version: number }
  | { readonly kind: 'count'; readonly role: string; readonly by: 1 | -1 }
  | { readonly kind: 'remove'; readonly pick: number }
  | { readonly kind: 'cancel'; readonly pick: number }
  /** By `spec.buggify`; null: it may be placed again. */
  | { readonly kind: 'no-place'; readonly pick: number | null };

/**
 * One thing that happens in a run, all of it drawn before the run begins: so that a run can be played again without some of them, to see
 * which ones it takes.
 */
export type Happening =
  // What people do.
  | ({ readonly what: 'drain'; readonly nodes: readonly string[]; readonly how: DrainWay } & Lasting)
  | ({ readonly what: 'taint'; readonly node: string; readonly key: string } & Lasting)
  | { readonly what: 'change'; readonly at: Moment; readonly change: Change }
  /** Afterwards they get one that works. */
  | ({ readonly what: 'broken-upgrade'; readonly version: number; readonly how: Breakage } & Lasting)
  | ({ readonly what: 'no-place'; readonly pick: number } & Lasting)
  // What the world does to them.
  | ({ readonly what: 'node-dies' | 'node-cut-off'; readonly node: string } & Lasting)
  | { readonly what: 'pod-crashes' | 'disk-dies'; readonly at: Moment; readonly pick: number }
  | ({ readonly what: 'quota-full' } & Lasting)
  // What it does to the operator.
  | ({ readonly what: 'wire'; readonly fault: WireFault; readonly rate: number } & Lasting)
  | ({ readonly what: 'engine'; readonly fault: EngineFault } & Lasting)
  | ({ readonly what: 'clock-jumps'; readonly by: number } & Lasting)
  /** The API server does not reach the webhook; the operator lives. */
  | ({ readonly what: 'webhook-cut-off' } & Lasting)
  /** At its so many-th write from then on, which is done (`landed`) or not; it is back after `lasts`. */
  | ({ readonly what: 'operator-killed'; readonly write: number; readonly landed: boolean } & Lasting);

/** When it is over. */
export const endOf = (happening: Happening): Moment => happening.at + ('lasts' in happening ? happening.lasts : 0);

/** One line for a person. */
export function sayHappening(happening: Happening): string {
  const when = `at ${span(happening.at)}`;
  switch (happening.what) {
    case 'drain':
      return `${when} ${happening.nodes.join(' and ')} are drained (${happening.how}), for at most ${span(happening.lasts)}`;
    case 'taint':
      return `${when} ${happening.node} is tainted with ${happening.key} for ${span(happening.lasts)}`;
    case 'change':
      return `${when} ${sayChange(happening.change)}`;
    case 'broken-upgrade':
      return `${when} for ${span(happening.lasts)} ${sayChange({ ...happening, kind: 'broken-template' })}`;
    case 'no-place':
      return `${when} for ${span(happening.lasts)} ${sayChange({ ...happening, kind: 'no-place' })}`;
    case 'node-dies':
      return `${when} ${happening.node} goes down for ${span(happening.lasts)}`;
    case 'node-cut-off':
      return `${when} ${happening.node} is cut off for ${span(happening.lasts)}, and its processes go on`;
    case 'pod-crashes':
      return `${when} a pod crashes`;
    case 'disk-dies':
      return `${when} a disk loses its data`;
    case 'quota-full':
      return `${when} the quota is full for ${span(happening.lasts)}`;
    case 'wire':
      return `${when} for ${span(happening.lasts)} the API server's line has the fault ${happening.fault}, ${Math.round(happening.rate * 100)} %`;
    case 'engine':
      return `${when} for ${span(happening.lasts)} the engine is ${happening.fault}`;
    case 'clock-jumps':
      return `${when} the operator's clock jumps by ${happening.by} s for ${span(happening.lasts)}`;
    case 'webhook-cut-off':
      return `${when} the webhook is cut off for ${span(happening.lasts)}`;
    case 'operator-killed':
      return `${when} the operator is killed at its write number ${happening.write}, which is ${happening.landed ? 'done' : 'not done'}, for ${span(happening.lasts)}`;
  }
}

function sayChange(change: Change): string {
  switch (change.kind) {
    case 'pod-template':
      return 'the pods get a new template';
    case 'claim-template':
      return 'the claims get a new template';
    case 'broken-template':
      return `the pods get a template that does not work (${change.how})`;
    case 'reshape':
      return `the pods get other ${sayReshaping[change.what]}`;
    case 'count':
      return `${change.by === 1 ? 'one more' : 'one less'} ${change.role} is wanted`;
    case 'remove':
      return 'a process group is listed for removal';
    case 'cancel':
      return 'a replacement is cancelled';
    case 'no-place':
      return change.pick === null ? 'every pod may be placed again' : 'a pod is to find no place (buggify)';
  }
}

const sayReshaping: { readonly [what in Reshaping]: string } = {
  'id-prefix': 'ids',
  'public-ip': 'addresses',
  processes: 'numbers of processes',
  'node-selector': 'nodes to choose from',
  resources: 'requests',
};

const span = (time: number): string => duration(seconds(time));
