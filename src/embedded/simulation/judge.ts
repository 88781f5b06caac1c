import type { Target } from '../../engines/engine.ts';
import type { Clock, MonotonicMillis } from '../../kube/clock.ts';
import { minutes } from '../../kube/clock.ts';
import { describeError } from '../../kube/error-description.ts';
import type { TransportRequest } from '../../kube/transport.ts';
import type { Decision, Hold } from '../../model/decision.ts';
import type { Reason } from '../../model/reason.ts';
import { reasons } from '../../model/reasons.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { rulesFor } from '../../rules/role-table.ts';
import type { EmbeddedCluster } from '../cluster/cluster.ts';
import { podAt } from '../cluster/pod-view.ts';
import type { Answered } from '../operated/embedded-webhook.ts';
import type { Verb } from './faulty-engine.ts';
import { judgeAnswer } from './invariants/answers.ts';
import { decisionRules } from './invariants/decisions.ts';
import type { Moment } from './invariants/records.ts';
import { judgeVerb, judgeWrite } from './invariants/records.ts';
import { replaysAlike } from './invariants/replay.ts';
import type { Violation } from './invariants/violation.ts';
import { violation } from './invariants/violation.ts';
import type { OperatorWitness } from './operator.ts';
import type { Subject } from './subject.ts';
import { namespace } from './subject.ts';

/** One decision in so many is written to a file and read again. */
const replayEvery = 50;
/** So many decisions are remembered, for whoever has to find out what led to a violation. */
const remembered = 5;
/** A quorum counts from here on: it has come up. */
const comesUp = minutes(10);
/** What is taken down on purpose is down by then, over the slowest of lines. */
const goesDown = minutes(5);

export interface JudgeOptions {
  readonly clock: Clock;
  readonly cluster: EmbeddedCluster;
  readonly subject: Subject;
  readonly clockIsMoved: () => boolean;
}

/** Watches a run and says what should not have been. The first violation is the one that counts; what comes after it may be its fault. */
export class Judge implements OperatorWitness {
  readonly #options: JudgeOptions;
  readonly #decisions: { readonly snapshot: Snapshot; readonly decision: Decision }[] = [];
  #violation: Violation | undefined;
  /** What each cluster or guard waited for when it was last decided about. */
  readonly #holds = new Map<string, readonly Hold[]>();
  #count = 0;
  /** Every process group that was ever on record. */
  readonly #ids = new Set<string>();
  #lastRemoval: number | undefined;
  /** Removals that were decided on, and when, until a snapshot shows that they were written down. */
  readonly #unwritten = new Map<string, number>();
  /** Since when people have it that everything is down, until every quorum was there again; undefined: they do not. */
  #downOnPurpose: MonotonicMillis | undefined;

  constructor(options: JudgeOptions) {
    this.#options = options;
  }

  get violation(): Violation | undefined {
    return this.#violation;
  }

  /** The last decisions, oldest first. */
  get lastDecisions(): readonly { readonly snapshot: Snapshot; readonly decision: Decision }[] {
    return this.#decisions;
  }

  /** What the very last decisions waited for. */
  get waits(): readonly Reason[] {
    return [...this.#holds.values()].flat().map(({ reason }) => reason);
  }

  /** Whether a dead seat is still to be given to others: it is left until the engine has recovered from the last change. */
  get leavesASeat(): boolean {
    return [...this.#holds.values()].flat().some(({ step }) => step === 'reseat');
  }

  find(found: Violation | undefined): void {
    this.#violation ??= found;
  }

  decided(snapshot: Snapshot, decision: Decision): void {
    this.#remember(snapshot, decision);
    this.#holds.set(snapshot.cluster, decision.holds);
    // `deletionMode: All` asks no rule, and says so.
    if (decision.actions.some((action) => action.act === 'delete-pod' && action.reason.code === reasons.allAtOnce.code))
      this.#downOnPurpose = this.#options.clock.monotonic();
    const sinceLastRemoval = this.#sinceLastRemoval(snapshot, decision);
    for (const rule of decisionRules) this.find(rule({ snapshot, decision, sinceLastRemoval }));
    this.#judgeIds(snapshot, decision);
    if (this.#count++ % replayEvery === 0) this.find(replaysAlike(snapshot, decision));
  }

  writes(request: TransportRequest): void {
    this.find(judgeWrite(request, this.#moment()));
  }

  speaks(verb: Verb, target: Target | null): void {
    this.find(judgeVerb(verb, target, this.#moment()));
  }

  /** I11, at the webhook: it is there for the words, so that it answers at all matters as much as what it answers. */
  answered(answered: Answered): void {
    this.find(judgeAnswer(answered));
  }

  /** I7: one that runs in circles never ends. */
  circles(requests: number): void {
    this.find(violation('I7', `the operator runs in circles: ${requests} requests in one moment`));
  }

  failed(error: unknown): void {
    const { message, stack } = describeError(error);
    this.find(violation('defect', stack ?? message));
  }

  /** I1 and I2, the ground truth: the world itself never takes the last copy or a majority, so whatever is lost was taken by a decision. */
  look(): void {
    const { subject, cluster, clock } = this.#options;
    const { lost, brokenQuorums } = subject.model.truth();
    const [loss] = lost;
    if (loss !== undefined) this.find(violation('I1', loss.because));
    const [broken] = brokenQuorums;
    const now = clock.monotonic();
    if (broken === undefined && now > (this.#downOnPurpose ?? now) + goesDown) this.#downOnPurpose = undefined;
    if (broken !== undefined && now > comesUp && this.#downOnPurpose === undefined)
      this.find(violation('I2', `${broken.answering} of ${broken.needed} needed answer in ${broken.quorum}`));
    const [defect] = cluster.defects;
    if (defect !== undefined) this.failed(defect);
  }

  /** I5. */
  starts(pod: string): void {
    const alive = this.#options.cluster.processes().filter(({ name }) => name === pod);
    if (alive.length > 1)
      this.find(violation('I5', `${pod} runs on ${alive.map(({ node }) => node).join(' and ')} at once`));
  }

  /** I5: an identity that is gone is never given out again. */
  #judgeIds({ processGroups }: Snapshot, { records }: Decision): void {
    for (const { id } of processGroups) this.#ids.add(id);
    const here = new Set<string>(processGroups.map(({ id }) => id));
    for (const record of records) {
      if (record.record === 'group-added' && this.#ids.has(record.group) && !here.has(record.group))
        this.find(violation('I5', `${record.group} is made, and there was one of that name before`));
    }
  }

  /** By the judge's own clock. A removal counts from the moment that it was decided on, once it is written down. */
  #sinceLastRemoval({ processGroups, now: looked }: Snapshot, { records }: Decision): number | undefined {
    // By when it was looked: a decision may wait for its turn after that.
    const now = looked / 1000;
    for (const { id, removingAt } of processGroups) {
      const decided = this.#unwritten.get(id);
      if (removingAt === null || decided === undefined) continue;
      this.#lastRemoval = Math.max(this.#lastRemoval ?? 0, decided);
      this.#unwritten.delete(id);
    }
    // What was written down by a clock that is wrong is in another time once the clock is right.
    if (this.#options.clockIsMoved()) {
      this.#lastRemoval = undefined;
      this.#unwritten.clear();
      return undefined;
    }
    for (const record of records) if (record.record === 'removing') this.#unwritten.set(record.group, now);
    // The operator has whole milliseconds only.
    return this.#lastRemoval === undefined ? undefined : Math.ceil(now - this.#lastRemoval);
  }

  #moment(): Moment {
    const engine = this.#decisions.at(-1)?.snapshot.spec.engine;
    const { subject, cluster } = this.#options;
    return {
      recorded: () => subject.recorded(),
      topology: () => subject.model.whole(),
      groupOf: (kind, object) => subject.groupOf(kind, object),
      uidOf: (group) => podAt(cluster.world, namespace, subject.podOf(group))?.uid,
      isDrainedFirst: (role) => engine !== undefined && rulesFor(engine, role)?.drainedBeforeRemoval !== false,
    };
  }

  #remember(snapshot: Snapshot, decision: Decision): void {
    if (this.#violation !== undefined) return;
    const isSilent = decision.records.length === 0 && decision.actions.length === 0;
    if (isSilent) return;
    this.#decisions.push({ snapshot, decision });
    if (this.#decisions.length > remembered) this.#decisions.shift();
  }
}
