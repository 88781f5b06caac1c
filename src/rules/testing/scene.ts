import type { ClusterSpec } from '../../model/cluster-spec.ts';
import type { Answer } from '../../model/decision.ts';
import type { ProcessGroup } from '../../model/process-group.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import {
  givenGroup,
  givenHealth,
  givenProcess,
  givenSnapshot,
  givenSpec,
  givenTopology,
} from '../../model/testing/given.ts';
import type { EngineHealth, Process, Quorum, Topology, Unit, Unreachable } from '../../model/topology.ts';
import type { Question } from '../question.ts';
import { askAbout } from '../question.ts';
import type { Survey } from '../survey.ts';
import { surveyOf } from '../survey.ts';
import { verdictOf } from '../verdict.ts';

/** What a test is about. Everything that it does not name is well. */
export interface Scene {
  readonly engine?: ClusterSpec['engine'];
  readonly policy?: ClusterSpec['drainPolicy'];
  readonly spec?: Partial<ClusterSpec>;
  /** By name, with one process each; or in whole. */
  readonly groups?: readonly (string | ProcessGroup)[];
  /** In place of the process of the same id, or beside the others. */
  readonly processes?: readonly Process[];
  /** Process groups that the engine lists no process of. */
  readonly unlisted?: readonly string[];
  readonly units?: readonly Unit[];
  readonly quorums?: readonly Quorum[];
  readonly health?: Partial<EngineHealth>;
  readonly unreachable?: Unreachable;
  readonly snapshot?: Partial<Snapshot>;
}

export function surveyScene(scene: Scene): Survey {
  const { engine = 'http', policy = 'block-if-contains-last-replica', groups = [] } = scene;
  const processGroups = groups.map((group) => (typeof group === 'string' ? givenGroup(group) : group));
  return surveyOf(
    givenSnapshot({
      spec: givenSpec({ engine, drainPolicy: policy, ...scene.spec }),
      processGroups,
      topology: scene.unreachable ?? topologyOf(scene, processGroups),
      ...scene.snapshot,
    }),
  );
}

function topologyOf(scene: Scene, groups: readonly ProcessGroup[]): Topology {
  const { processes = [], unlisted = [], units = [], quorums = [] } = scene;
  const told = new Set<string>([...processes.map(({ id }) => id), ...unlisted]);
  const usual = groups.filter(({ id }) => !told.has(id)).map(({ id, role }) => givenProcess(id, { role }));
  // Only FoundationDB gives a figure instead of its units.
  const figure = scene.engine === 'foundationdb' ? 1 : null;
  const health = givenHealth({ zonesThatMayFail: figure, ...scene.health });
  return givenTopology({ processes: [...usual, ...processes], units, quorums, health });
}

function groupIn({ groups }: Survey, id: string): ProcessGroup {
  for (const group of groups.values()) if (group.id === id) return group;
  throw new Error(`the test has no process group ${id}`);
}

/** May it be evicted, in words: `allow`, `wait LastReplica`, `never NeverEvicted`. */
export const evictionOf = (scene: Scene, id: string): string => inWords(verdictIn(scene, id).eviction);

/** May it be replaced, in words. */
export const replacementOf = (scene: Scene, id: string): string => inWords(verdictIn(scene, id).replacement);

export function verdictIn(scene: Scene, id: string) {
  const survey = surveyScene(scene);
  return verdictOf(survey, groupIn(survey, id));
}

export function questionIn(scene: Scene, id: string, about: Question['about'] = 'eviction'): Question {
  const survey = surveyScene(scene);
  return askAbout(about, survey, groupIn(survey, id));
}

export const inWords = (answer: Answer): string =>
  answer.kind === 'allow' ? 'allow' : `${answer.kind} ${answer.reasons.map(({ code }) => code).join(', ')}`;

/** What is said to people, one sentence a reason. */
export const sentencesOf = (answer: Answer): readonly string[] =>
  answer.kind === 'allow' ? [] : answer.reasons.map(({ message }) => message);
