import type { Millis } from '../../kube/clock.ts';
import { millis, seconds } from '../../kube/clock.ts';
import type { Decision } from '../../model/decision.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { isUnreachable } from '../../model/topology.ts';
import type { Patience } from './engine-room.ts';

/** While anything leaves the engine is read so often, and otherwise so often; one that says nothing, as the engine room has patience with it. */
const whileLeaving = seconds(5);
const usually = seconds(30);
/** What time alone changes is not looked at more often than this. */
const atMost = millis(100);

/** What was decided, and from what. */
interface Decided {
  readonly decision: Decision;
  readonly snapshot: Snapshot;
  /** The snapshot once everything is recorded. */
  readonly after: Snapshot;
}

/** How long until the next look, if nothing happens before. `notes`: how much is still to be written down. */
export function untilNext(made: Decided, notes: number, { withSilence, withRepeated = usually }: Patience): Millis {
  const { decision, snapshot } = made;
  const usual = isUnreachable(snapshot.topology) ? withSilence : isBusy(made, notes) ? whileLeaving : usually;
  const wake = decision.wakeAt === undefined ? usual : millis(decision.wakeAt - snapshot.now);
  return millis(Math.max(atMost, Math.min(usual, withRepeated, wake)));
}

function isBusy({ decision, snapshot, after }: Decided, notes: number): boolean {
  const isLeaving = after.processGroups.some(({ removal, evacuationAt }) => removal !== null || evacuationAt !== null);
  const isAsked = snapshot.asks.length > 0 || after.grants.length > 0;
  return isLeaving || isAsked || notes > 0 || decision.actions.length > 0;
}
