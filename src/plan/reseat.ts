import type { Step } from '../model/decision.ts';
import type { ProcessId } from '../model/ids.ts';
import { name } from '../model/ids.ts';
import { isFalse } from '../model/known.ts';
import { reasons } from '../model/reasons.ts';
import type { Quorum } from '../model/topology.ts';
import type { Survey } from '../rules/survey.ts';
import { reasonToLeaveAlone } from './quiet-engine.ts';
import { settling } from './settling.ts';
import { StepBuilder } from './step.ts';

/**
 * Gives seats on which nobody answers to others, in quorums whose members are known by where they are (FoundationDB's coordinators): a pod that
 * comes back has another address, and its old seat stays dead until somebody moves it. Until then one failure less can be borne, which
 * holds up everything that asks for it. A seat is left alone while pods come and go, because its holder may be on its way back.
 */
export function reseat(survey: Survey): Step {
  const step = new StepBuilder('reseat');
  for (const quorum of quorumsOf(survey)) {
    const dead = quorum.members.filter(({ responds }) => isFalse(responds)).map(({ process }) => process);
    const processes = dead.filter((process) => !isLeaving(survey, process)).sort();
    if (processes.length > 0) move(survey, quorum, processes, step);
  }
  return step.build();
}

function move(survey: Survey, quorum: Quorum, processes: readonly ProcessId[], step: StepBuilder): void {
  const said = { quorum: quorum.name, members: processes };
  const unsettled = settling(survey);
  const hold =
    reasonToLeaveAlone(survey, name(quorum.name), 'keep a dead seat for now') ??
    (unsettled === undefined ? undefined : reasons.seatStays({ ...said, ...unsettled }));
  if (hold !== undefined) step.hold(null, hold);
  else step.act({ act: 'reseat', quorum: quorum.id, processes, reason: reasons.deadSeat(said) });
}

const quorumsOf = ({ engine }: Survey): readonly Quorum[] =>
  (engine.topology?.quorums ?? []).filter(({ membersMove }) => membersMove).sort((a, b) => (a.id < b.id ? -1 : 1));

/** The step that moves the seats of those that leave has it in hand. */
function isLeaving({ engine, groups }: Survey, process: ProcessId): boolean {
  const id = engine.processes.get(process)?.group ?? null;
  return id !== null && (groups.get(id)?.removal ?? null) !== null;
}
