#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { Command } from 'commander';
import { withKubectlHabits } from './kubectl-habits.ts';
import { runCommand } from './run-command.ts';

/** Each command with all that it needs is read only when it is asked for: `drover why` needs no simulator, and people wait for it. */
const commands: Readonly<Record<string, () => Promise<() => Command>>> = {
  operator: async () => (await import('./operator.ts')).operatorCommand,
  why: async () => (await import('./why.ts')).whyCommand,
  drain: async () => (await import('./drain.ts')).drainCommand,
  uncordon: async () => (await import('./uncordon.ts')).uncordonCommand,
  decide: async () => (await import('./decide.ts')).decideCommand,
  detect: async () => (await import('./detect.ts')).detectCommand,
  'check-engine': async () => (await import('./check-engine.ts')).checkEngineCommand,
  schema: async () => (await import('./schema.ts')).schemaCommand,
  simulate: async () => (await import('./simulate.ts')).simulateCommand,
  demo: async () => (await import('./demo.ts')).demoCommand,
};

const program = new Command('drover')
  .description(
    'Takes nodes, pods and disks away from stateful systems without taking away data, quorum or the last copy.',
  )
  .showHelpAfterError('(drover --help lists the commands)');

// Beside the packages, so that it goes with them. Where nothing can be written there is no cache, and that is all.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/drover'));
const [, , asked = ''] = process.argv;
const wanted = Object.hasOwn(commands, asked) ? [asked] : Object.keys(commands);
for (const name of wanted) {
  const command = await commands[name]?.();
  if (command !== undefined) program.addCommand(command());
}
await runCommand(program, withKubectlHabits(process.argv));
