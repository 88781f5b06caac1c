import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { snapshotJsonSchema } from '../api/snapshot/snapshot-file.ts';
import { main, runDrover } from './testing/run-drover.ts';

describe('drover schema snapshot', { timeout: 60_000 }, () => {
  test('prints the schema of a snapshot', async () => {
    const { exitCode, stdout, stderr } = await runDrover(['schema', 'snapshot']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual(snapshotJsonSchema());
  });

  test('takes it well when its reader is gone', async () => {
    const script = '"$0" "$1" schema snapshot | true';
    const { stdout, stderr } = await promisify(execFile)('sh', ['-c', script, process.execPath, main]);
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' });
  });
});
