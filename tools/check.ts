/** `npm run check`: everything about the source that needs no running program. `npm run check -- --fix` repairs what can be repaired. */
import { readdirSync } from 'node:fs';
import type { Finished, Tally } from './step.ts';
import { conclude, run } from './step.ts';

interface Check {
  readonly name: string;
  readonly command: readonly string[];
  /** Why a command that ended with 0 has failed all the same. */
  readonly distrust?: (finished: Finished) => string | undefined;
}

const folders = ['src', 'test', 'tools', 'bench'];

const checks: readonly Check[] = [
  { name: 'formatting', command: ['biome', 'check', ...fix('--write'), '.'] },
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings', ...folders] },
  { name: 'types', command: ['tsc', '-p', '.'] },
  { name: 'layering', command: ['depcruise', ...folders], distrust: readTooFewModules },
  { name: 'dead code', command: ['knip'] },
  { name: 'generated files', command: ['node', 'tools/generate.ts', ...(fix('').length > 0 ? [] : ['--check'])] },
];

/** Under TypeScript 7, dependency-cruiser without its swc parser reads nothing and reports success. */
function readTooFewModules({ output }: Finished): string | undefined {
  const read = Number(/\((\d+) modules/.exec(output)?.[1] ?? 0);
  const present = folders.flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }));
  const sources = present.filter((file) => /\.tsx?$/.test(file)).length;
  return read >= sources ? undefined : `it read ${read} modules, but there are ${sources} source files`;
}

function fix(flag: string): string[] {
  return process.argv.includes('--fix') ? [flag] : [];
}

export async function check(): Promise<Tally> {
  const failures: string[] = [];
  for (const { name, command, distrust } of checks) {
    const finished = await run(command);
    const trouble = finished.code === 0 ? distrust?.(finished) : finished.output.trim();
    if (trouble !== undefined) failures.push(name);
    console.log(`${trouble === undefined ? '✓' : '✗'} ${name} (${finished.seconds.toFixed(1)} s)`);
    if (trouble !== undefined) console.log(trouble);
  }
  return { passed: checks.length - failures.length, failed: failures.length, skipped: 0, failures };
}

if (import.meta.main) conclude(await check());
