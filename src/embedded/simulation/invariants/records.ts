import type { Target } from '../../../engines/engine.ts';
import type { TransportRequest } from '../../../kube/transport.ts';
import { name } from '../../../model/ids.ts';
import { unknown } from '../../../model/known.ts';
import type { ProcessGroup } from '../../../model/process-group.ts';
import type { Replica, Topology } from '../../../model/topology.ts';
import { guardLabel, open } from '../../../operator/lock/guard-label.ts';
import type { Verb } from '../faulty-engine.ts';
import type { OnRecord, Subject } from '../subject.ts';
import type { Violation } from './violation.ts';
import { violation } from './violation.ts';

/** What is so at the moment of an act, whatever the one who acts believes. */
export interface Moment {
  /** What the API server has on record. */
  readonly recorded: () => OnRecord;
  /** What the engine would say if it could. */
  readonly topology: () => Topology;
  readonly groupOf: Subject['groupOf'];
  /** Which pod the process group has at the moment. */
  readonly uidOf: (group: string) => string | undefined;
  /** Whether this role is drained before it is removed. */
  readonly isDrainedFirst: (role: string) => boolean;
}

/** I6 and I4, for a write to the API server that is about to be done. */
export function judgeWrite(request: TransportRequest, moment: Moment): Violation | undefined {
  const write = parseWrite(request, moment.groupOf);
  if (write === undefined) return undefined;
  const recorded = moment.recorded();
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
    write.kind === 'evict' || write.kind === 'open'
      ? isGranted
      : isGranted || row.removingAt !== null || row.conditions.some(({ type }) => type === 'IncorrectPodSpec');
  return isExpected ? undefined : violation('I6', `the pod of ${row.id} goes, and the record does not say why`);
}

/** What is said to be drained is; what was dead, and could not be drained, may be removed when every unit has a safe copy elsewhere. */
function judgeClaim(row: ProcessGroup, { topology: look, isDrainedFirst }: Moment): Violation | undefined {
  if (row.removingAt === null) return violation('I6', `the claim of ${row.id} is deleted before that is recorded`);
  if (row.removal?.withoutExclusion === true || !isDrainedFirst(row.role)) return undefined;
  const topology = look();
  const own = topology.processes.filter(({ group }) => group === row.id);
  // An engine in the middle of a recovery hides who does what. Whoever was seen to be empty before is given nothing new by that.
  const wasEmpty = row.drainedAt !== null;
  if (own.every(({ drained }) => drained === true || (wasEmpty && drained === unknown))) return undefined;
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
export function judgeVerb(verb: Verb, target: Target | null, { recorded, topology }: Moment): Violation | undefined {
  if (target === null) return undefined;
  const row = recorded().rows.find(({ id }) => id === target.group);
  const isRecorded = {
    evacuate: row?.evacuationAt != null,
    forget: row?.removingAt != null,
    // A dead seat that others take is a quorum's, and no process group's.
    handOff:
      row !== undefined || topology().quorums.some(({ id, membersMove }) => membersMove && id === name(target.group)),
    cancelEvacuation: row !== undefined,
    maintenance: true,
  }[verb];
  return isRecorded
    ? undefined
    : violation('I6', `the engine is told to ${verb} ${target.group} before that is recorded`);
}

interface Write {
  /** `open`: the lock lets it go. */
  readonly kind: 'create' | 'delete-pod' | 'delete-claim' | 'evict' | 'open';
  readonly group: string;
  /** Only if the pod is this one. */
  readonly uid?: string | undefined;
}

const objectPath = /\/(pods|persistentvolumeclaims)(?:\/([^/?]+))?(\/eviction)?(?:\?|$)/;

/** Undefined: not about a process group. */
function parseWrite({ method, path, body }: TransportRequest, groupOf: Subject['groupOf']): Write | undefined {
  const [, plural, name, eviction] = objectPath.exec(path) ?? [];
  // A dry run changes nothing.
  if (plural === undefined || path.includes('dryRun=All')) return undefined;
  const sent: Body = JSON.parse(body ?? '{}');
  const group = groupOf(plural === 'pods' ? 'pod' : 'claim', name ?? sent.metadata?.name ?? '');
  if (group === undefined) return undefined;
  if (eviction !== undefined) return { kind: 'evict', group, uid: sent.deleteOptions?.preconditions?.uid };
  if (method === 'DELETE' && name !== undefined)
    return { kind: plural === 'pods' ? 'delete-pod' : 'delete-claim', group, uid: sent.preconditions?.uid };
  if (method === 'PATCH' && sent.metadata?.labels?.[guardLabel] === open)
    return { kind: 'open', group, uid: sent.metadata.uid };
  return method === 'POST' ? { kind: 'create', group } : undefined;
}

/** As much of what is sent as matters. */
interface Body {
  readonly metadata?: {
    readonly name?: string;
    readonly uid?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly preconditions?: { readonly uid?: string };
  readonly deleteOptions?: { readonly preconditions?: { readonly uid?: string } };
}
