import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';

/** What a reader is told to type. Ctrl-C ends the demo, and the tests do not start themselves. */
const prefix = 'npm run -s drover -- ';

const commands = ['README.md', ...globSync('docs/**/*.md')].flatMap((file) =>
  readFileSync(file, 'utf8')
    // A command may go on after a pipe.
    .replaceAll(/\|\n\s+/g, '| ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith(prefix))
    .map((command) => ({ file, command })),
);

/** The repository, so that what a command writes is not left lying in it. */
const cwd = mkdtempSync(join(tmpdir(), 'drover-documented-'));
for (const entry of ['package.json', 'src', 'examples', 'node_modules'])
  symlinkSync(join(process.cwd(), entry), join(cwd, entry));
afterAll(() => rmSync(cwd, { recursive: true }));

/** One that stands in two places is typed once. */
const distinct = [...new Map(commands.map((one) => [one.command, one])).values()];

describe('what the documentation tells to type works', () => {
  test('there is something to try', () => {
    expect(commands.length).toBeGreaterThan(4);
  });

  test.each(distinct)('$file: $command', async ({ command }) => {
    const run = Promise.withResolvers<{ readonly code: unknown; readonly stdout: string; readonly stderr: string }>();
    execFile('bash', ['-o', 'pipefail', '-c', command], { cwd }, (error, stdout, stderr) =>
      run.resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
    const { code, stdout, stderr } = await run.promise;
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('drover:') });
    // What goes into a file leaves nothing to see.
    if (!command.includes('>')) expect(stdout).not.toBe('');
  });
});
