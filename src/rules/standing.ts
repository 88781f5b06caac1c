import type { ProcessId } from '../model/ids.ts';
import { unknown } from '../model/known.ts';
import { moment } from '../model/phrases.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Process } from '../model/topology.ts';
import type { Reliance } from './finding.ts';
import { doubted, notRelied, relied } from './finding.ts';
import { labelOf, roleOf } from './question.ts';
import { mayHoldData } from './role-table.ts';
import type { Survey } from './survey.ts';
import { noticedAt } from './survey.ts';

/** How far a process can be relied on while others leave. */
interface Standing {
  readonly process: Reliance;
  /** And what it holds: nothing asks for data when a process of a role without data leaves, so nothing can rest on what it seems to hold. */
  readonly copies: Reliance;
}

/** Asked for every copy of every unit, and the same for each of them: worked out once for a survey. */
const remembered = new WeakMap<Survey, Map<ProcessId, Standing>>();

/**
 * Whether a process can be counted on while others leave: the engine lists it once and says that it responds, it was not let go, its pod
 * runs and is not being deleted, and its node is there and ready, where nodes are read. A cordoned node still counts: a drain takes it away
 * only with a grant.
 */
export const standingOf = (survey: Survey, process: ProcessId): Reliance => standing(survey, process).process;

/** The same for the copies on it, once the engine has had the time to miss what ran there before: a new process may be taken for it, with all it held. */
export const copiesStand = (survey: Survey, process: ProcessId): Reliance => standing(survey, process).copies;

/** The processes whose copies stand. */
export function standingCopies(survey: Survey): ReadonlySet<ProcessId> {
  const standing = new Set<ProcessId>();
  for (const id of survey.engine.processes.keys()) if (copiesStand(survey, id).is === 'yes') standing.add(id);
  return standing;
}

const withoutData = notRelied('is of a role without data');

function standing(survey: Survey, id: ProcessId): Standing {
  let standings = remembered.get(survey);
  if (standings === undefined) {
    standings = new Map();
    remembered.set(survey, standings);
  }
  let known = standings.get(id);
  if (known === undefined) {
    const process = judge(survey, id);
    const holdsData = mayHoldData(survey.snapshot.spec.engine, roleOf(survey, id));
    known = { process, copies: holdsData ? unlessTooNew(survey, id, process) : withoutData };
    standings.set(id, known);
  }
  return known;
}

function judge(survey: Survey, id: ProcessId): Reliance {
  const gone = survey.gone.get(id);
  if (gone !== undefined) return notRelied(gone);
  const process = survey.engine.processes.get(id);
  if (process === undefined) return doubted(`what ${id} is: the engine names it and does not list it`);
  if (survey.engine.listedTwice.has(id)) return doubted(`which ${id} is meant: the engine lists it more than once`);
  if (process.responds === false) return notRelied('does not respond');
  const lost = whyLost(survey, process);
  if (lost !== undefined) return notRelied(lost);
  return process.responds === unknown ? doubted(`whether ${labelOf(survey, id)} responds`) : relied;
}

/** What Kubernetes knows and the engine may not have noticed yet. */
function whyLost(survey: Survey, process: Process): string | undefined {
  // A server outside of Kubernetes, or of someone else: the engine's word is all there is.
  if (process.group === null) return undefined;
  const group = survey.groups.get(process.group);
  return group === undefined ? 'has no process group' : whyPodIsLost(survey, group);
}

function whyPodIsLost(survey: Survey, { pod, removingAt }: ProcessGroup): string | undefined {
  if (pod === null) return 'has no pod';
  if (removingAt !== null) return 'is being removed';
  if (pod.deletingSince !== null) return 'its pod is being deleted';
  if (pod.phase !== 'Running') return `its pod is ${pod.phase}`;
  if (survey.nodes === undefined) return undefined;
  if (pod.node === null) return 'its pod is on no node';
  const node = survey.nodes.get(pod.node);
  if (node === undefined) return `${pod.node} does not exist`;
  return node.ready ? undefined : `${pod.node} is not ready`;
}

/** What the engine says of copies may still be about the process before, where the pod, or the container in it, is that new. */
function unlessTooNew({ engine, groups }: Survey, id: ProcessId, standing: Reliance): Reliance {
  const process = engine.processes.get(id);
  const pod = process?.group == null ? null : (groups.get(process.group)?.pod ?? null);
  if (standing.is !== 'yes' || process === undefined || pod === null || engine.topology === undefined) return standing;
  const began = pod.restartedAt !== null && pod.restartedAt > pod.createdAt ? pod.restartedAt : pod.createdAt;
  const noticed = noticedAt(began, process);
  if (engine.topology.observedAt >= noticed) return standing;
  return notRelied(`began anew at ${moment(began)}, which the engine may not have noticed before ${moment(noticed)}`);
}
