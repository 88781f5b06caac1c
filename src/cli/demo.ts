import { Command, InvalidArgumentError } from 'commander';
import { nobody } from '../embedded/demo/audience.ts';
import type { ActOutcome } from '../embedded/demo/outcome.ts';
import { summaryOf } from '../embedded/demo/outcome.ts';
import { plainAudience } from '../embedded/demo/plain-audience.ts';
import { playLive } from '../embedded/demo/play-live.ts';
import { playOnce } from '../embedded/demo/play-once.ts';
import { Screen } from '../embedded/demo/screen.ts';
import { DemoEnded } from '../embedded/demo/world.ts';
import { realClock } from '../kube/real-clock.ts';
import type { OutputFormat } from './output-format.ts';
import { format, outputOption } from './output-format.ts';
import { port } from './port.ts';
import { exitCodes } from './run-command.ts';
import { listenForTheEnd } from './the-end.ts';

interface Options {
  readonly speed?: number;
  readonly story: boolean;
  readonly once?: true;
  readonly port: number;
  readonly output: OutputFormat;
}

const usualSpeed = 60;

const example = `
Examples:
  $ drover demo                          # the story, then a cluster to play with; Ctrl-C ends it
  $ drover demo --no-story --speed 1     # only the cluster, in real time
  $ drover demo --once -o json           # the story in a few seconds, judged by what was lost

Exit codes: 0 all went well, also when it is ended by Ctrl-C; 1 an act failed, or it could not start; 2 called wrongly.`;

/** `drover demo`: a cluster in memory with databases on it, and a story of what Drover does for them. */
export function demoCommand(): Command {
  return new Command('demo')
    .description(
      'Shows what Drover does, on nine nodes in memory: nothing but Node is needed, and nothing is left behind.',
    )
    .option(
      '--speed <times>',
      `how much faster time runs (default: ${usualSpeed}; with --once as fast as it can)`,
      speed,
    )
    .option('--no-story', 'only the cluster, to play with')
    .option('--once', 'plays the story to its end, says how each act turned out, and exits')
    .option('--port <port>', 'for kubectl; 0: any free one', port, 0)
    .addOption(outputOption())
    .addHelpText('after', example)
    .action(run);
}

async function run(options: Options, command: Command): Promise<void> {
  if (options.once === undefined && options.output !== 'text')
    command.error(`error: -o ${options.output} needs --once`);
  if (options.once === true && !options.story)
    command.error('error: --once plays the story, which --no-story leaves out');
  const end = listenForTheEnd();
  try {
    if (options.once === true) await runOnce(options, end.signal);
    else await runLive(options, end.signal);
  } finally {
    end.dispose();
  }
}

async function runOnce({ output, speed: chosen }: Options, stop: AbortSignal): Promise<void> {
  const audience = output === 'text' ? plainAudience((line) => console.log(line)) : nobody;
  try {
    const outcomes = await playOnce({ clock: realClock, audience, speed: chosen }, stop);
    process.exitCode = exitCodeFor(outcomes);
    console.log(format(output, { passed: process.exitCode === 0, acts: outcomes }, () => `\n${summaryOf(outcomes)}`));
  } catch (error) {
    if (!(error instanceof DemoEnded)) throw error;
    process.stderr.write('drover: the story was stopped before its end\n');
    process.exitCode = exitCodes.failed;
  }
}

async function runLive(
  { story, port: chosenPort, speed: chosen = usualSpeed }: Options,
  stop: AbortSignal,
): Promise<void> {
  const { stdout, env } = process;
  const colours = (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  const screen = stdout.isTTY && env['TERM'] !== 'dumb' ? new Screen(stdout, colours) : undefined;
  const outcomes = await playLive(
    { clock: realClock, speed: chosen, story, port: chosenPort, screen, say: (line) => console.log(line) },
    stop,
  );
  process.exitCode = exitCodeFor(outcomes);
  if (screen !== undefined && outcomes.length > 0) console.log(summaryOf(outcomes));
}

/** An act that failed is a failure of the whole. */
export const exitCodeFor = (outcomes: readonly ActOutcome[]): number =>
  outcomes.every(({ passed }) => passed) ? 0 : exitCodes.failed;

function speed(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value < 1 || value > 10_000)
    throw new InvalidArgumentError('a number from 1 to 10000 is needed.');
  return value;
}
