import { availableParallelism } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import { sayHappening } from '../embedded/simulation/happenings.ts';
import type { Played } from '../embedded/simulation/pool.ts';
import { playAll } from '../embedded/simulation/pool.ts';
import type { Outcome } from '../embedded/simulation/run-seed.ts';
import { runSeed } from '../embedded/simulation/run-seed.ts';
import type { RunPlan, ScenarioName } from '../embedded/simulation/scenarios.ts';
import { dealt, onlyHappenings, scenario, scenarioNames } from '../embedded/simulation/scenarios.ts';
import { shrink } from '../embedded/simulation/shrink.ts';
import type { Order } from '../embedded/simulation/worker.ts';
import { duration } from '../model/phrases.ts';
import { seconds } from '../model/time.ts';
import type { OutputFormat } from './output-format.ts';
import { format, outputOption } from './output-format.ts';
import { ProgressLine } from './progress-line.ts';
import { exitCodes } from './run-command.ts';

interface Options {
  readonly seeds: number;
  readonly firstSeed: number;
  readonly scenario: ScenarioName | 'all';
  readonly jobs: number;
  readonly only?: readonly number[];
  readonly shrink: boolean;
  readonly output: OutputFormat;
}

const example = `
Scenarios:
  drains        nodes are drained by kubectl, NodeDrains and leaving taints, through the eviction API, the webhook and the lock
  failures      nodes, pods and disks fail as well
  upgrades      people change the spec: templates, counts, removals, cancels
  mixed         all of it at once
  foundationdb  the same with a FoundationDB, read and told through fdbcli
  core          the pure core alone, at volume: a stand-in observes, decides, records and acts, without webhook, lock or engine adapter
  All but core run the controllers as they ship, over StatefulClusters and, in drains, failures and mixed, over pods of others under an EvictionGuard.

Examples:
  $ drover simulate --seeds 200 --scenario failures
  $ drover simulate --seeds 1000 --scenario core
  $ drover simulate --seeds 1000000 --scenario all         # over night
  $ drover simulate --scenario mixed --first-seed 7 --seeds 1 --only 2,5

Exit codes: 0 every invariant held, 1 one did not (with the seed, what led there, and the command that plays it again), 2 called wrongly.`;

/** `drover simulate`: plays a database on a cluster in memory, seed after seed, and watches whether anything is lost. */
export function simulateCommand(): Command {
  return new Command('simulate')
    .description(
      'Breaks a simulated cluster and database in every way that the seeds say, and checks that nothing is lost.',
    )
    .option('--seeds <number>', 'how many runs', wholeNumber, 50)
    .option('--first-seed <number>', 'the seed of the first one', wholeNumber, 1)
    .addOption(
      new Option('--scenario <name>', 'what is played; all: the seeds are dealt out over them')
        .choices([...scenarioNames, 'all'])
        .default('all'),
    )
    .option('--jobs <number>', 'how many at once', wholeNumber, availableParallelism())
    .option('--only <places>', 'of a single run, only these of its happenings', places)
    .option(
      '--no-shrink',
      'tell of the first run that breaks an invariant as it is, instead of looking for what it takes',
    )
    .addOption(outputOption())
    .addHelpText('after', example)
    .action(run);
}

async function run(options: Options): Promise<void> {
  if (options.only !== undefined) return runOnly(options, options.only);
  const started = performance.now();
  const line = new ProgressLine();
  let done = 0;
  let simulated = 0;
  for await (const played of playAll(ordersOf(options), options.jobs)) {
    done += 1;
    simulated += played.outcome.simulatedSeconds;
    if (played.outcome.violation !== undefined) {
      line.clear();
      return report(played, options);
    }
    line.show(done, options.seeds, () => progress(done, simulated, started));
  }
  line.clear();
  const took = (performance.now() - started) / 1000;
  const { scenario: played, seeds: runs } = options;
  const forPeople = () =>
    `${runs} runs of ${played}, ${duration(seconds(simulated))} simulated in ${took.toFixed(0)} s: every invariant held`;
  console.log(
    format(options.output, { runs, scenario: played, simulatedSeconds: simulated, violation: null }, forPeople),
  );
}

function* ordersOf({ firstSeed, seeds, scenario: chosen }: Options): Generator<Order> {
  for (let seed = firstSeed; seed < firstSeed + seeds; seed++) yield { scenario: scenarioFor(chosen, seed), seed };
}

const scenarioFor = (chosen: Options['scenario'], seed: number): ScenarioName =>
  chosen === 'all' ? dealt(seed) : chosen;

function progress(done: number, simulated: number, started: number): string {
  const took = (performance.now() - started) / 1000;
  return `${(done / took).toFixed(1)} a second, ${duration(seconds(Math.round(simulated / took)))} simulated a second`;
}

/** One run with some of its happenings: what a report tells to do. */
async function runOnly({ scenario: chosen, firstSeed, output }: Options, only: readonly number[]): Promise<void> {
  const order = { scenario: scenarioFor(chosen, firstSeed), seed: firstSeed };
  const plan = scenario(order.scenario, order.seed);
  const outcome = await runSeed(onlyHappenings(plan, only));
  if (outcome.violation !== undefined) return tell({ plan, order, outcome, places: only }, output);
  console.log(format(output, { ...order, only, violation: null }, () => `seed ${order.seed}: every invariant held`));
}

async function report({ order, outcome }: Played, { output, shrink: isToBeShrunk }: Options): Promise<void> {
  const plan = scenario(order.scenario, order.seed);
  const whole = { places: plan.happenings.map((_, place) => place), outcome };
  const shortest = isToBeShrunk ? await shrink(plan, outcome) : whole;
  tell({ plan, order, ...shortest }, output);
}

interface Finding {
  readonly plan: RunPlan;
  readonly order: Order;
  readonly outcome: Outcome;
  readonly places: readonly number[];
}

function tell({ plan, order, outcome, places: found }: Finding, output: OutputFormat): void {
  const { invariant, what } = outcome.violation ?? { invariant: '', what: '' };
  const happenings = found.flatMap((place) => plan.happenings[place] ?? []);
  const again = `drover simulate --scenario ${order.scenario} --first-seed ${order.seed} --seeds 1 --only ${found.join(',') || 'none'}`;
  const forPrograms = { ...order, invariant, what, happenings, decisions: outcome.story, again };
  const forPeople = () =>
    [
      `seed ${order.seed} of ${order.scenario} breaks ${invariant}: ${what}`,
      'what was decided last:',
      ...outcome.story.map((line) => `  ${line}`),
      `it takes ${found.length} of ${plan.happenings.length} happenings:`,
      ...happenings.map((happening) => `  ${sayHappening(happening)}`),
      `play it again: ${again}`,
    ].join('\n');
  if (output === 'text') console.error(forPeople());
  else console.log(format(output, forPrograms, forPeople));
  process.exitCode = exitCodes.failed;
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError('a whole number from 1 on is needed.');
  return value;
}

function places(text: string): readonly number[] {
  if (text === 'none') return [];
  const numbers = text.split(',').map(Number);
  if (numbers.some((place) => !Number.isSafeInteger(place) || place < 0))
    throw new InvalidArgumentError('places such as 0,3,7 are needed, or none.');
  return numbers;
}
