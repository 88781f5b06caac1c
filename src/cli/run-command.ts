import type { Command } from 'commander';
import { ConfigurationError } from '../kube/errors.ts';

/** Exit codes: 0 it worked, 1 it did not, 2 it was called wrongly. Commands that promise more say so in their help. */
export const exitCodes = { failed: 1, usage: 2 } as const;

/** Runs the command line. A person's mistake is one line that says what to do; only a defect of ours shows a stack. */
export async function runCommand(program: Command, argv: readonly string[]): Promise<void> {
  for (const command of withSubcommands(program)) command.exitOverride();
  process.stdout.on('error', endQuietly);
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    if (isCommanderError(error)) {
      // Help and version are no errors; everything else was called wrongly, and commander has said so.
      process.exitCode = error.exitCode === 0 ? 0 : exitCodes.usage;
      return;
    }
    process.stderr.write(`${describe(error)}\n`);
    process.exitCode = exitCodes.failed;
  }
}

const withSubcommands = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(withSubcommands),
];

/** Who reads our output may stop early: `drover schema snapshot | head`. */
function endQuietly(error: Error): void {
  if (!('code' in error) || error.code !== 'EPIPE') throw error;
  process.exit();
}

function isCommanderError(error: unknown): error is Error & { readonly exitCode: number } {
  return error instanceof Error && 'exitCode' in error && typeof error.exitCode === 'number';
}

function describe(error: unknown): string {
  if (error instanceof ConfigurationError) return `drover: ${error.message}`;
  if (error instanceof Error && 'code' in error) return `drover: ${error.message}`;
  return `drover: unexpected: ${error instanceof Error ? error.stack : String(error)}`;
}
