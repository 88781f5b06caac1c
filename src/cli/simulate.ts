import { Command, InvalidArgumentError, Option } from 'commander';
import type { Outcome } from '../embedded/simulation/run-seed.ts';
import { runSeed } from '../embedded/simulation/run-seed.ts';
import type { ScenarioName } from '../embedded/simulation/scenarios.ts';
import { scenario, scenarioNames } from '../embedded/simulation/scenarios.ts';
import { duration } from '../model/phrases.ts';
import { seconds } from '../model/time.ts';
import { exitCodes } from './run-command.ts';

interface Options {
  readonly seeds: number;
  readonly firstSeed: number;
  readonly scenario: ScenarioName;
}

const example = `
Example:
  $ drover simulate --seeds 200 --scenario failures

Exit codes: 0 every invariant held, 1 one did not (with the seed, and the command that plays it again), 2 called wrongly.`;

/** `drover simulate`: plays a database on a cluster in memory, seed after seed, and watches whether anything is lost. */
export function simulateCommand(): Command {
  return new Command('simulate')
    .description(
      'Drains the nodes of a simulated cluster with a real plan and real data loss, and checks the invariants.',
    )
    .option('--seeds <number>', 'how many runs', wholeNumber, 50)
    .option('--first-seed <number>', 'the seed of the first one', wholeNumber, 1)
    .addOption(new Option('--scenario <name>', 'what is played').choices(scenarioNames).default('drains'))
    .addHelpText('after', example)
    .action(run);
}

async function run(options: Options): Promise<void> {
  const started = performance.now();
  let simulated = 0;
  for (let seed = options.firstSeed; seed < options.firstSeed + options.seeds; seed++) {
    const outcome = await runSeed(scenario(options.scenario, seed));
    simulated += outcome.simulatedSeconds;
    if (outcome.violations.length > 0) return report(outcome, options.scenario);
    showProgress(seed - options.firstSeed + 1, options.seeds, started);
  }
  const took = (performance.now() - started) / 1000;
  console.log(
    `${options.seeds} runs of ${options.scenario}, ${duration(seconds(simulated))} simulated in ${took.toFixed(0)} s: every invariant held`,
  );
}

function report({ seed, violations }: Outcome, which: ScenarioName): void {
  clearProgress();
  for (const violation of violations) console.error(`seed ${seed}: ${violation}`);
  console.error(`play it again with: drover simulate --scenario ${which} --seeds 1 --first-seed ${seed}`);
  process.exitCode = exitCodes.failed;
}

/** A line that overwrites itself in a terminal; nothing in a pipe. */
function showProgress(done: number, all: number, started: number): void {
  if (!process.stderr.isTTY) return;
  const rate = done / ((performance.now() - started) / 1000);
  process.stderr.write(`\r${done} of ${all} seeds, ${rate.toFixed(1)} a second`);
  if (done === all) clearProgress();
}

function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError('a whole number from 1 on is needed.');
  return value;
}
