import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { drifted, type Output } from './generate/output.ts';
import { outputs } from './generate/outputs.ts';

/** Writes every generated file, or with `--check` says which of them no longer match their source. */

const root = join(import.meta.dirname, '..');

function read({ path }: Output): string | undefined {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function write(output: Output): void {
  const file = join(root, output.path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, output.content());
  console.log(`wrote ${output.path}`);
}

const stale = drifted(outputs, read);
if (!process.argv.includes('--check')) {
  stale.forEach(write);
  if (stale.length === 0) console.log(`all ${outputs.length} generated files are up to date`);
} else if (stale.length > 0) {
  for (const { path } of stale) console.error(`${path} does not match its source`);
  console.error('Run `npm run generate` and commit the result. Do not edit these files by hand.');
  process.exitCode = 1;
}
