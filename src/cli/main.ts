#!/usr/bin/env node
import { Command } from 'commander';
import { checkEngineCommand } from './check-engine.ts';
import { decideCommand } from './decide.ts';
import { demoCommand } from './demo.ts';
import { detectCommand } from './detect.ts';
import { drainCommand } from './drain.ts';
import { operatorCommand } from './operator.ts';
import { runCommand } from './run-command.ts';
import { schemaCommand } from './schema.ts';
import { simulateCommand } from './simulate.ts';
import { uncordonCommand } from './uncordon.ts';
import { whyCommand } from './why.ts';

const program = new Command('drover')
  .description(
    'Takes nodes, pods and disks away from stateful systems without taking away data, quorum or the last copy.',
  )
  .showHelpAfterError('(drover --help lists the commands)')
  .addCommand(operatorCommand())
  .addCommand(whyCommand())
  .addCommand(drainCommand())
  .addCommand(uncordonCommand())
  .addCommand(decideCommand())
  .addCommand(detectCommand())
  .addCommand(checkEngineCommand())
  .addCommand(schemaCommand())
  .addCommand(simulateCommand())
  .addCommand(demoCommand());

await runCommand(program, process.argv);
