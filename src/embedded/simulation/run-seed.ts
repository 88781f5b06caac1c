import type { Happening } from './happenings.ts';
import { endOf, patience } from './happenings.ts';
import type { Violation } from './invariants/violation.ts';
import { violation } from './invariants/violation.ts';
import type { Ongoing } from './ongoing.ts';
import { begin } from './play.ts';
import { sayDecisions } from './say-decision.ts';
import { sayWaits } from './say-waits.ts';
import type { RunPlan } from './scenarios.ts';
import { giveWay, settlesWithin, unsettled } from './settling.ts';
import { SimulatedWorld, tick } from './world.ts';

/** What one simulated run came to. */
export interface Outcome {
  readonly seed: number;
  /** The first thing that should not have been; undefined: all was well. */
  readonly violation: Violation | undefined;
  /** The decisions that led there, in plain words, oldest first. Empty where nothing was wrong. */
  readonly story: readonly string[];
  readonly simulatedSeconds: number;
  /** Which of the plan's happenings took place, by their places in the list: the others found no moment to strike. */
  readonly happened: readonly number[];
  /** How much the operator wrote and told the engine: what shows that two runs are the same. */
  readonly writes: number;
}

/** Plays one run to its end, or to the first violation. The same plan gives the same outcome, on any machine. */
export async function runSeed(plan: RunPlan): Promise<Outcome> {
  const world = new SimulatedWorld(plan);
  const run = new Run(world, plan.happenings);
  try {
    await world.begin();
    await run.play();
    await run.settle();
    await run.stayQuiet();
  } finally {
    await world.end();
  }
  const { judge, clock, operator } = world;
  return {
    seed: plan.seed,
    violation: judge.violation,
    story: judge.violation === undefined ? [] : sayDecisions(judge.lastDecisions),
    simulatedSeconds: clock.monotonic() / 1000,
    happened: [...run.happened].sort((a, b) => a - b),
    writes: operator.writes,
  };
}

/** How long a cluster at rest is watched, in seconds. */
const quietFor = 15 * 60;

class Run {
  readonly #world: SimulatedWorld;
  readonly #ahead: { readonly happening: Happening; readonly place: number }[];
  readonly #ongoing = new Map<Ongoing, { readonly until: number; readonly happening: Happening }>();
  readonly happened = new Set<number>();

  constructor(world: SimulatedWorld, happenings: readonly Happening[]) {
    this.#world = world;
    this.#ahead = happenings.map((happening, place) => ({ happening, place }));
  }

  /** Everything that was drawn happens, and is over. */
  async play(): Promise<void> {
    while ((this.#ahead.length > 0 || this.#ongoing.size > 0) && this.#isWell) {
      await this.#endDue();
      await this.#beginDue();
      for (const [ongoing] of this.#ongoing) if ((await ongoing.step?.()) === true) this.#ongoing.delete(ongoing);
      // Whoever drains last and has all the time waits for people who want two things, too.
      if (this.#ahead.length === 0) await giveWay(this.#world);
      await this.#world.pass(this.#ongoing.size > 0 ? tick : this.#untilNext());
    }
    this.#world.operator.spare();
  }

  /** I7: once faults stop, everything ends. I9: what was cancelled is there and is as it was. */
  async settle(): Promise<void> {
    const { judge } = this.#world;
    // The last thing that happened has to be noticed first.
    await this.#world.pass(120);
    for (let waited = 0; waited < settlesWithin && this.#isWell; waited += 60) {
      if (unsettled(this.#world) === undefined && !judge.leavesASeat) return;
      await giveWay(this.#world);
      await this.#world.pass(60);
    }
    const why = unsettled(this.#world, true);
    if (why !== undefined) judge.find(violation(why.invariant, why.what));
  }

  /** I8: a cluster at rest is left alone. */
  async stayQuiet(): Promise<void> {
    // What the last round began may still be written down.
    await this.#world.pass(120);
    const before = this.#world.operator.writes;
    await this.#world.pass(quietFor);
    const written = this.#world.operator.writes - before;
    if (written > 0) this.#world.judge.find(violation('I8', `${written} writes and commands while nothing happened`));
  }

  get #isWell(): boolean {
    return this.#world.judge.violation === undefined;
  }

  get #now(): number {
    return this.#world.clock.monotonic() / 1000;
  }

  #untilNext(): number {
    const next = Math.min(...this.#ahead.map(({ happening }) => happening.at));
    return Number.isFinite(next) ? Math.max(tick, next - this.#now) : tick;
  }

  async #endDue(): Promise<void> {
    for (const [ongoing, { until, happening }] of this.#ongoing) {
      if (until > this.#now) continue;
      this.#ongoing.delete(ongoing);
      this.#judgePatience(happening);
      await ongoing.end();
    }
  }

  /** I7: nothing else has happened for long. */
  #judgePatience(happening: Happening): void {
    if (happening.what !== 'drain' || happening.lasts < patience) return;
    const { judge } = this.#world;
    const why = sayWaits(judge.waits).join('; ');
    judge.find(
      violation('I7', `the drain of ${happening.nodes.join(' and ')} (${happening.how}) does not end: ${why}`),
    );
  }

  async #beginDue(): Promise<void> {
    for (const ahead of this.#ahead.filter(({ happening }) => happening.at <= this.#now)) {
      const { happening, place } = ahead;
      const begun = await begin(this.#world, happening);
      if (begun === 'not-now' && this.#now < happening.at + waitsFor) continue;
      this.#ahead.splice(this.#ahead.indexOf(ahead), 1);
      if (begun === 'not-now') continue;
      this.happened.add(place);
      if (begun === 'over') continue;
      this.#ongoing.set(begun, { until: Math.max(this.#now + tick, endOf(happening)), happening });
    }
  }
}

/** How long a blow waits for its moment, in seconds. */
const waitsFor = 1800;
