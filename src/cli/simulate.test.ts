import { describe, expect, test } from 'vitest';
import { runDrover } from './testing/run-drover.ts';

describe('drover simulate', () => {
  test('plays its seeds and says in one line what they came to', async () => {
    const { exitCode: code, stdout, stderr } = await runDrover(['simulate', '--seeds', '2', '--scenario', 'failures']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^2 runs of failures, .+ simulated in \d+ s: every invariant held\n$/);
  });

  test.each([
    [['--scenario', 'picnic'], 'Allowed choices are drains, failures'],
    [['--seeds', '0'], 'a whole number from 1 on is needed'],
    [['--first-seed', 'x'], 'a whole number from 1 on is needed'],
  ])('%j is called wrongly: exit code 2, and says what is right', async (args, sentence) => {
    const { exitCode: code, stderr } = await runDrover(['simulate', ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
  });
});
