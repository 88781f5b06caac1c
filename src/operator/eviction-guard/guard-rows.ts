import type { GuardedProcess } from '../../api/v1alpha1/eviction-guard.schema.ts';
import { maxGuardedProcesses } from '../../api/v1alpha1/eviction-guard.schema.ts';
import type { Decision, Verdict } from '../../model/decision.ts';
import type { Known } from '../../model/known.ts';
import { unknown } from '../../model/known.ts';
import type { ProcessGroup } from '../../model/process-group.ts';
import type { Reason } from '../../model/reason.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { Process } from '../../model/topology.ts';
import { isUnreachable } from '../../model/topology.ts';
import { inOrder } from '../../plan/in-order.ts';
import { cutText } from '../status/cut-text.ts';
import { timestampOf, timestampOrNull } from '../status/moments.ts';
import type { Progress } from '../status/progress.ts';
import { progressOf, progressRow } from '../status/progress.ts';
import type { Room } from '../status/waiting-for.ts';
import { waitingFor } from '../status/waiting-for.ts';
import { waitsIn } from '../status/waits.ts';

/** What the rows of a guard's status are made from. */
export interface GuardRowsInput {
  /** As it is once everything is recorded. */
  readonly after: Snapshot;
  readonly decision: Decision;
  readonly before: readonly GuardedProcess[];
  readonly room: Room;
}

/**
 * The rows of a guard's status: for each pod those of its processes, or one under the pod's own name where the engine lists none; then the
 * processes that run in no guarded pod. A pod that is away has a row until the engine lists nothing of it any more.
 */
export function guardRows(input: GuardRowsInput): GuardedProcess[] {
  const { after, before } = input;
  const listed = isUnreachable(after.topology) ? undefined : after.topology.processes;
  const seats = new Map<string, Seat>();
  const take = (seat: Seat) => {
    const process = seats.has(seat.process) ? `pod/${seat.process}` : seat.process;
    if (!seats.has(process)) seats.set(process, { ...seat, process });
  };
  for (const group of inOrder(after.processGroups)) for (const seat of seatsOf(group, listed, before)) take(seat);
  for (const process of listed ?? [])
    if (process.group === null) take({ process: process.id, group: null, listed: process });
  const said = saidOf(input.decision);
  const rows = [...seats.values()].map((seat) => rowOf(seat, said, input));
  // What is to be undone must not be forgotten, however many there are.
  const kept = rows.toSorted((a, b) => rank(a) - rank(b)).slice(0, maxGuardedProcesses);
  return rows.length === kept.length ? rows : rows.filter((row) => kept.includes(row));
}

const rank = ({ evacuationTimestamp, pod }: GuardedProcess): number =>
  evacuationTimestamp !== null ? 0 : pod !== null ? 1 : 2;

/** One row to be: a process, the pod that it is in, and what the engine says of it now. */
interface Seat {
  readonly process: string;
  readonly group: ProcessGroup | null;
  readonly listed: Process | undefined;
}

function seatsOf(
  group: ProcessGroup,
  listed: readonly Process[] | undefined,
  before: readonly GuardedProcess[],
): readonly Seat[] {
  const own = listed?.filter((process) => process.group === group.id).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const known = before.filter(({ pod }) => pod === group.id).map(({ process }) => process);
  if (own !== undefined && own.length > 0)
    return own.map((process) => ({ process: process.id, group, listed: process }));
  // An engine that says nothing has forgotten nobody.
  if (own === undefined && known.length > 0) return known.map((process) => ({ process, group, listed: undefined }));
  return group.pod === null ? [] : [{ process: group.id, group, listed: undefined }];
}

/** As many as the schema of a row has room for. */
const most = 16;
const longestName = 253;

function rowOf(
  { process, group, listed }: Seat,
  said: ReadonlyMap<string, Said>,
  { after, before, room }: GuardRowsInput,
): GuardedProcess {
  const known = before.find((row) => row.process === process && row.pod === (group?.id ?? null));
  const { verdict = 'none', why = [], progress } = said.get(group?.id ?? '') ?? {};
  return {
    process: cutText(process, longestName),
    pod: group?.id ?? null,
    node: group?.pod?.node ?? known?.node ?? null,
    role: group?.role ?? listed?.role ?? known?.role ?? '',
    zone: group?.zone ?? listed?.zone ?? null,
    addresses: (group?.addresses ?? []).slice(-most),
    responds: knownOrNull(listed?.responds),
    verdict: group?.pod === null ? 'none' : verdict,
    evacuationTimestamp: timestampOrNull(group?.evacuationAt),
    conditions: (group?.conditions ?? [])
      .slice(0, most)
      .map(({ type, since }) => ({ type, timestamp: timestampOf(since) })),
    waitingFor: waitingFor(why, known?.waitingFor ?? [], after.now, room),
    ...progressRow(progress, known?.progress, after),
  };
}

/** What was decided about one pod. */
interface Said {
  readonly verdict: Verdict['eviction']['kind'];
  readonly why: readonly Reason[];
  readonly progress: Progress | undefined;
}

/** What the rules say of each pod, and then what is being done about it, each code once. */
function saidOf(decision: Decision): ReadonlyMap<string, Said> {
  const waits = waitsIn(decision);
  return new Map(
    decision.verdicts.map(({ group, eviction }) => {
      const rules = eviction.kind === 'allow' ? [] : eviction.reasons;
      const seen = new Set<string>();
      const held = waits.get(group) ?? [];
      const why = [...rules, ...held].filter(({ code }) => !seen.has(code) && seen.add(code));
      return [group, { verdict: eviction.kind, why, progress: progressOf(eviction, held) }];
    }),
  );
}

const knownOrNull = (known: Known<boolean> | undefined): boolean | null =>
  known === undefined || known === unknown ? null : known;
