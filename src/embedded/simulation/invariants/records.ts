import type { Target } from '../../../engines/engine.ts';
import type { TransportRequest } from '../../../kube/transport.ts';
import type { ProcessGroup } from '../../../model/process-group.ts';
import type { Replica, Topology } from '../../../model/topology.ts';
import type { Recorded } from '../../stand-in/record.ts';
import type { Verb } from '../faulty-engine.ts';
import type { Violation } from './violation.ts';
import { violation } from './violation.ts';

/** What is so at the moment of an act, whatever the one who acts believes. */
export interface Moment {
  /** What the API server has on record. */
  readonly recorded: Recorded;
  /** What the engine would say if it could. */
  readonly topology: Topology;
  /** Which pod has that name at the moment. */
  readonly uidOf: (pod: string) => string | undefined;
  /** Whether this role is drained before it is removed. */
  readonly isDrainedFirst: (role: string) => boolean;
}

/** I6 and I4, for a write to the API server that is about to be done. */
export function judgeWrite(request: TransportRequest, moment: Moment): Violation | undefined {
  const write = parseWrite(request);
  if (write === undefined) return undefined;
  const { recorded } = moment;
  const row = recorded.rows.find(({ id }) => id === write.group);
  if (write.kind === 'create')
    return row === undefined ? violation('I6', `${write.group} is made, and there is no record of it`) : undefined;
  if (row === undefined) return violation('I6', `${write.group} is taken away, and there is no record of it`);
  if (write.kind === 'delete-claim') return judgeClaim(row, moment);
  const uid = moment.uidOf(row.id);
  // Another pod has that name by now: the API server refuses.
  if (write.uid !== undefined && write.uid !== uid) return undefined;
  const isGranted = recorded.grants.some((grant) => grant.group === row.id && grant.pod === uid);
  const isExpected =
    write.kind === 'evict'
      ? isGranted
      : isGranted || row.removingAt !== null || row.conditions.some(({ type }) => type === 'IncorrectPodSpec');
  return isExpected ? undefined : violation('I6', `the pod of ${row.id} goes, and the record does not say why`);
}

/** What is said to be drained is; what was dead, and could not be drained, may be removed when every unit has a safe copy elsewhere. */
function judgeClaim(row: ProcessGroup, { topology, isDrainedFirst }: Moment): Violation | undefined {
  if (row.removingAt === null) return violation('I6', `the claim of ${row.id} is deleted before that is recorded`);
  if (row.removal?.withoutExclusion === true || !isDrainedFirst(row.role)) return undefined;
  const own = topology.processes.filter(({ group }) => group === row.id);
  if (own.every(({ drained }) => drained === true)) return undefined;
  if (row.drainedAt !== null) return violation('I4', `the claim of ${row.id} is deleted, and it is not drained`);
  const needed = topology.units.find(
    ({ replicas }) =>
      replicas.some(({ process }) => own.some(({ id }) => id === process)) &&
      !replicas.some((copy) => isSafe(copy) && own.every(({ id }) => id !== copy.process)),
  );
  return needed === undefined
    ? undefined
    : violation('I4', `the claim of ${row.id} is deleted, and no other process has a copy of ${needed.name}`);
}

const isSafe = ({ state, inSync, running, doomed }: Replica): boolean =>
  state === 'healthy' && inSync === true && running === true && !doomed;

/** I6, for something that the engine is about to hear. */
export function judgeVerb(verb: Verb, target: Target | null, { recorded }: Moment): Violation | undefined {
  if (target === null) return undefined;
  const row = recorded.rows.find(({ id }) => id === target.group);
  const isRecorded = {
    evacuate: row?.evacuationAt != null,
    forget: row?.removingAt != null,
    handOff: row !== undefined,
    cancelEvacuation: row !== undefined,
    maintenance: true,
  }[verb];
  return isRecorded
    ? undefined
    : violation('I6', `the engine is told to ${verb} ${target.group} before that is recorded`);
}

interface Write {
  readonly kind: 'create' | 'delete-pod' | 'delete-claim' | 'evict';
  readonly group: string;
  /** Only if the pod is this one. */
  readonly uid?: string | undefined;
}

const objectPath = /\/(pods|persistentvolumeclaims)(?:\/([^/?]+))?(\/eviction)?(?:\?|$)/;

/** Undefined: not about a process group. */
function parseWrite({ method, path, body }: TransportRequest): Write | undefined {
  const [, plural, name, eviction] = objectPath.exec(path) ?? [];
  if (plural === undefined) return undefined;
  const sent: Body = JSON.parse(body ?? '{}');
  if (eviction !== undefined && name !== undefined)
    return { kind: 'evict', group: name, uid: sent.deleteOptions?.preconditions?.uid };
  if (method === 'DELETE' && name !== undefined)
    return { kind: plural === 'pods' ? 'delete-pod' : 'delete-claim', group: name, uid: sent.preconditions?.uid };
  return method === 'POST' ? { kind: 'create', group: sent.metadata?.name ?? '' } : undefined;
}

/** As much of what is sent as matters. */
interface Body {
  readonly metadata?: { readonly name: string };
  readonly preconditions?: { readonly uid?: string };
  readonly deleteOptions?: { readonly preconditions?: { readonly uid?: string } };
}
