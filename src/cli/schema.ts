import { Command } from 'commander';
import { snapshotJsonSchema } from '../api/snapshot/snapshot-file.ts';

const example = `
Example:
  $ drover schema snapshot > snapshot.schema.json`;

/** `drover schema`: the JSON Schemas of the files that Drover reads. */
export function schemaCommand(): Command {
  return new Command('schema')
    .description('Prints the JSON Schema of a file that Drover reads, for editors and programs.')
    .addHelpText('after', example)
    .addCommand(
      new Command('snapshot')
        .description('The snapshot that drover decide reads.')
        .action(() => void process.stdout.write(`${JSON.stringify(snapshotJsonSchema(), null, 2)}\n`)),
    );
}
