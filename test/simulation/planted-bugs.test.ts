import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { PlantedBug } from './planted-bug.ts';
import { applied } from './planted-bug.ts';
import { plantedBugs } from './planted-bugs.ts';

/** How many seeds each bug gets at most, and what share of the bugs has to be found with so many. More of both in `npm run test:long`. */
const seeds = Number(process.env['DROVER_BUG_SEEDS'] ?? 10);
const share = Number(process.env['DROVER_BUG_SHARE'] ?? 0.75);
/** Those in the controllers are hunted in runs that take several times as long, so only where there is time. */
const hunted = plantedBugs.filter(({ scenario }) => scenario === undefined || process.env['DROVER_ALL_BUGS'] === 'yes');

interface Finding {
  readonly bug: PlantedBug;
  /** `seed 7 of mixed breaks I2`; undefined: not found. */
  readonly found: string | undefined;
  /** How many seeds were played. */
  readonly played: number;
}

describe('planted bugs', () => {
  test.each(plantedBugs)('$name: its place is there', (bug) => {
    expect(applied(bug, readFileSync(bug.file, 'utf8'))).not.toBe(readFileSync(bug.file, 'utf8'));
  });

  test(`the simulator finds at least ${share * 100} % of ${hunted.length} of them, by the seeds that are known or within ${seeds} others`, {
    timeout: 3_600_000,
  }, async () => {
    const findings = await huntAll();
    console.log(table(findings));
    const found = findings.filter(({ found }) => found !== undefined);
    expect(found.length / hunted.length).toBeGreaterThanOrEqual(share);
  });
});

/**
 * First the seeds that are known, of all of them; then, where too many of these are out of date, in rounds of more and more seeds, because most are
 * found by the first ones, and only until enough are found.
 */
async function huntAll(): Promise<readonly Finding[]> {
  const findings = new Map(hunted.map((bug): [PlantedBug, Finding] => [bug, { bug, found: undefined, played: 0 }]));
  const isEnough = () =>
    [...findings.values()].filter(({ found }) => found !== undefined).length >= hunted.length * share;
  const withAll = async (isOver: () => boolean, look: (finding: Finding) => Promise<Finding>) => {
    const waiting = [...findings.values()].filter(({ found }) => found === undefined).values();
    const lookOn = async () => {
      for (const finding of waiting) if (!isOver()) findings.set(finding.bug, await look(finding));
    };
    await Promise.all([lookOn(), lookOn()]);
  };
  await withAll(
    () => false,
    async (finding) => {
      const { bug } = finding;
      return bug.seed === undefined ? finding : { ...(await hunt(bug, bug.seed - 1, bug.seed)), played: 0 };
    },
  );
  for (let until = 2; !isEnough(); until *= 3) {
    await withAll(isEnough, ({ bug, played }) => hunt(bug, played, Math.min(until, seedsFor(bug))));
    if (until >= seeds) break;
  }
  return [...findings.values()];
}

/** A run with the controllers takes that much longer. */
const seedsFor = ({ scenario }: PlantedBug): number =>
  Math.ceil(seeds / (scenario === undefined ? 1 : scenario === 'foundationdb' ? 5 : 2));

/** Plays the seeds after `played` with the bug in place. Exit code 1 is a violation; anything else but 0 means that the bug broke the program itself. */
function hunt(bug: PlantedBug, played: number, until: number): Promise<Finding> {
  const { promise, resolve, reject } = Promise.withResolvers<Finding>();
  if (until <= played) return Promise.resolve({ bug, found: undefined, played });
  const planted = ['--import', './test/simulation/plant.ts', 'src/cli/main.ts'];
  const which = ['--scenario', bug.scenario ?? 'core', '--first-seed', `${played + 1}`, '--seeds', `${until - played}`];
  const simulate = ['simulate', ...which, '--jobs', '1', '--no-shrink', '-o', 'json'];
  const env = { ...process.env, DROVER_PLANTED_BUG: bug.name };
  execFile(process.execPath, [...planted, ...simulate], { env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
    if (stderr !== '') return reject(new Error(`${bug.name}: ${stderr}`));
    if (error === null) return resolve({ bug, found: undefined, played: until });
    const { seed, scenario, invariant }: Record<string, string> = JSON.parse(stdout);
    resolve({ bug, found: `seed ${seed} of ${scenario} breaks ${invariant}`, played: until });
  });
  return promise;
}

function table(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ bug }) => bug.name.length));
  const rows = findings.toSorted((a, b) => (a.bug.name < b.bug.name ? -1 : 1));
  const notFound = (played: number) =>
    played === 0
      ? 'not found: its seed is unknown or out of date, and enough others are'
      : `not found within ${played} seeds`;
  return rows.map(({ bug, found, played }) => `${bug.name.padEnd(width)}  ${found ?? notFound(played)}`).join('\n');
}
