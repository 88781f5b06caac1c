import { describe, expect, test } from 'vitest';
import { runDrover } from './testing/run-drover.ts';

/** A bug that every run of the core shows, planted for this test alone. */
const broken = { DROVER_PLANTED_BUG: 'the record is written after the act' };
const planted = ['--import', './test/simulation/plant.ts'];

describe('drover simulate', () => {
  test('plays its seeds and says in one line what they came to', async () => {
    const seeds = ['--first-seed', '5', '--seeds', '4'];
    const { exitCode, stdout, stderr } = await runDrover(['simulate', ...seeds, '--jobs', '2']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^4 runs of all, .+ simulated in \d+ s: every invariant held\n$/);
  });

  test.each(['drains', 'foundationdb'])('for programs, with the controllers: %s', async (scenario) => {
    const { stdout } = await runDrover(['simulate', '--seeds', '1', '--scenario', scenario, '-o', 'json']);
    expect(JSON.parse(stdout)).toEqual({
      runs: 1,
      scenario,
      simulatedSeconds: expect.any(Number),
      violation: null,
    });
  });

  test('a violation: the seed, the invariant, what led there, what it takes, and the command that plays it again', async () => {
    const found = await runDrover(['simulate', '--seeds', '1', '--scenario', 'core'], { node: planted, env: broken });
    expect(found.exitCode).toBe(1);
    expect(found.stderr).toMatch(/^seed 1 of core breaks I6: agent-1 is made, and there is no record of it\n/);
    expect(found.stderr).toContain('did create pod agent-1: agent-1 gets its pod');
    expect(found.stderr).toMatch(/\nit takes 0 of \d+ happenings:\n/);
    const again = /play it again: drover (.+)\n$/.exec(found.stderr)?.[1]?.split(' ') ?? [];
    expect(again).toContain('--only');
    expect((await runDrover(again, { node: planted, env: broken })).stderr).toBe(found.stderr);
    expect(await runDrover(again)).toMatchObject({ exitCode: 0, stdout: 'seed 1: every invariant held\n' });
  });

  test.each([
    [['--scenario', 'picnic'], 'Allowed choices are core, drains, failures, upgrades, mixed, foundationdb, all'],
    [['--seeds', '0'], 'a whole number from 1 on is needed'],
    [['--first-seed', 'x'], 'a whole number from 1 on is needed'],
    [['--jobs', '-1'], 'a whole number from 1 on is needed'],
    [['--only', '1,b'], 'places such as 0,3,7 are needed, or none'],
  ])('%j is called wrongly: exit code 2, and says what is right', async (args, sentence) => {
    const { exitCode, stderr } = await runDrover(['simulate', ...args]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(sentence);
  });
});
