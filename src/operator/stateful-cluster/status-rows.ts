import type { ProcessGroupStatus } from '../../api/v1alpha1/process-group.schema.ts';
import type { Verdict } from '../../model/decision.ts';
import type { ProcessGroup, TaintClock } from '../../model/process-group.ts';
import type { Reason } from '../../model/reason.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { dueAt } from '../../model/time.ts';
import { inOrder } from '../../plan/in-order.ts';
import { TaintOptions } from '../../plan/taint-options.ts';
import { momentOf, timestampOf, timestampOrNull } from '../status/moments.ts';
import { progressOf, progressRow } from '../status/progress.ts';
import { causeOf, isConditionType } from '../status/recorded-row.ts';
import type { Room } from '../status/waiting-for.ts';
import { waitingFor } from '../status/waiting-for.ts';

/** What the rows of a status are made from. */
export interface RowsInput {
  /** As it is once everything is recorded. */
  readonly after: Snapshot;
  readonly before: readonly ProcessGroupStatus[];
  readonly verdicts: readonly Verdict[];
  readonly waits: ReadonlyMap<string, readonly Reason[]>;
  readonly room: Room;
}

/** The rows of a status, sorted by id. What this Drover does not know of a row stays in it. */
export function rowsOf({ after, before, verdicts, waits, room }: RowsInput): ProcessGroupStatus[] {
  const known = new Map(before.map((row) => [row.processGroupID, row]));
  const evictions = new Map(verdicts.map(({ group, eviction }) => [group, eviction]));
  const options = new TaintOptions(after.spec.replacements);
  return inOrder(after.processGroups).map((group) => {
    const row = known.get(group.id);
    const eviction = evictions.get(group.id);
    const held = waits.get(group.id) ?? [];
    // What nobody waits for is not worth a write with every step of it.
    const progress = held.length === 0 ? undefined : progressOf(eviction, held);
    return {
      ...recordOf(group, row, options),
      verdict: group.pod === null ? 'none' : (eviction?.kind ?? 'none'),
      waitingFor: waitingFor(held, row?.waitingFor ?? [], after.now, room),
      ...progressRow(progress, row?.progress, after),
    };
  });
}

/** As many as the schema of a row has room for. */
const most = 16;

function recordOf(
  group: ProcessGroup,
  before: ProcessGroupStatus | undefined,
  options: TaintOptions,
): Omit<ProcessGroupStatus, 'verdict' | 'waitingFor' | 'progress'> {
  const nodeName = group.pod?.node ?? before?.nodeName ?? null;
  return {
    processGroupID: group.id,
    role: group.role,
    addresses: group.addresses.slice(-most),
    nodeName,
    faultDomain: group.zone,
    conditions: conditionsOf(group, before),
    removalTimestamp: timestampOrNull(group.removal?.at),
    removalReason: removalReasonOf(group, before),
    evacuationTimestamp: timestampOrNull(group.evacuationAt),
    exclusionTimestamp: timestampOrNull(group.drainedAt),
    exclusionSkipped: group.removal?.withoutExclusion === true,
    removingTimestamp: timestampOrNull(group.removingAt),
    taints: group.taints.slice(0, most).map((clock) => taintOf(clock, nodeName, options)),
  };
}

/** Those that this Drover knows, as they are now, and after them those that it does not know, as they were. */
function conditionsOf(
  { conditions }: ProcessGroup,
  before: ProcessGroupStatus | undefined,
): ProcessGroupStatus['conditions'] {
  const unknown = (before?.conditions ?? []).filter(({ type }) => !isConditionType(type));
  return [...conditions.map(({ type, since }) => ({ type, timestamp: timestampOf(since) })), ...unknown].slice(0, most);
}

/** The cause; or, while it is the same mark, the word that a newer Drover had for it. */
function removalReasonOf({ removal }: ProcessGroup, before: ProcessGroupStatus | undefined): string | null {
  if (removal === null) return null;
  const written = before?.removalReason ?? null;
  const isSameMark =
    before !== undefined && before.removalTimestamp !== null && momentOf(before.removalTimestamp) === removal.at;
  return isSameMark && written !== null && causeOf(written) === removal.cause ? written : removal.cause;
}

function taintOf(
  { key, since, node }: TaintClock,
  nodeName: string | null,
  options: TaintOptions,
): ProcessGroupStatus['taints'][number] {
  const replaceAt = dueAt(since, options.durationOf(key) ?? 'never');
  return {
    key,
    since: timestampOf(since),
    replaceAt: timestampOrNull(replaceAt),
    ...(node !== undefined && node !== nodeName && { node }),
  };
}
