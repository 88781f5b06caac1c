import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { PlantedBug } from './planted-bug.ts';
import { applied } from './planted-bug.ts';
import { plantedBugs } from './planted-bugs.ts';

/** How many seeds each bug gets, and what share of the bugs has to be found with so many. More of both in `npm run test:long`. */
const seeds = Number(process.env['DROVER_BUG_SEEDS'] ?? 10);
const share = Number(process.env['DROVER_BUG_SHARE'] ?? 0.5);
/** Those in the controllers are hunted in runs that take several times as long, so only where there is time. */
const hunted = plantedBugs.filter(({ scenario }) => scenario === undefined || process.env['DROVER_ALL_BUGS'] === 'yes');

interface Finding {
  readonly bug: string;
  /** `seed 7 of mixed breaks I2`, or that it was not found. */
  readonly found: string;
}

describe('planted bugs', () => {
  test.each(plantedBugs)('$name: its place is there', (bug) => {
    expect(applied(bug, readFileSync(bug.file, 'utf8'))).not.toBe(readFileSync(bug.file, 'utf8'));
  });

  test(`the simulator finds at least ${share * 100} % of ${hunted.length} of them within ${seeds} seeds each`, {
    timeout: 3_600_000,
  }, async () => {
    const findings: Finding[] = [];
    const waiting = hunted.values();
    const look = async () => {
      for (const bug of waiting) findings.push(await hunt(bug));
    };
    await Promise.all([look(), look()]);
    const found = findings.filter(({ found }) => found !== missed);
    console.log(table(findings));
    expect(found.length / hunted.length).toBeGreaterThanOrEqual(share);
  });
});

const missed = 'not found';

/** Plays the seeds with the bug in place. Exit code 1 is a violation; anything else but 0 means that the bug broke the program itself. */
function hunt({ name: bug, scenario }: PlantedBug): Promise<Finding> {
  const { promise, resolve, reject } = Promise.withResolvers<Finding>();
  const planted = ['--import', './test/simulation/plant.ts', 'src/cli/main.ts'];
  // A run with the controllers takes that much longer.
  const runs = Math.ceil(seeds / (scenario === undefined ? 1 : scenario === 'foundationdb' ? 5 : 2));
  const simulate = [
    'simulate',
    '--scenario',
    scenario ?? 'core',
    '--seeds',
    String(runs),
    '--jobs',
    '1',
    '--no-shrink',
    '-o',
    'json',
  ];
  const env = { ...process.env, DROVER_PLANTED_BUG: bug };
  execFile(process.execPath, [...planted, ...simulate], { env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
    if (stderr !== '') return reject(new Error(`${bug}: ${stderr}`));
    if (error === null) return resolve({ bug, found: missed });
    const { seed, scenario: played, invariant }: Record<string, string> = JSON.parse(stdout);
    resolve({ bug, found: `seed ${seed} of ${played} breaks ${invariant}` });
  });
  return promise;
}

function table(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ bug }) => bug.length));
  const rows = findings.toSorted((a, b) => (a.bug < b.bug ? -1 : 1));
  return rows.map(({ bug, found }) => `${bug.padEnd(width)}  ${found}`).join('\n');
}
