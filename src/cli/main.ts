#!/usr/bin/env node
import { Command } from 'commander';
import { operatorCommand } from './operator.ts';
import { runCommand } from './run-command.ts';

const program = new Command('drover')
  .description(
    'Takes nodes, pods and disks away from stateful systems without taking away data, quorum or the last copy.',
  )
  .showHelpAfterError('(drover --help lists the commands)')
  .addCommand(operatorCommand());

await runCommand(program, process.argv);
