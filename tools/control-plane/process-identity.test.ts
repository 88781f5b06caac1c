import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { identify, isAlive, signalProcess } from './process-identity.ts';

test('a process is known by its id and its start', async () => {
  const child = spawn('sleep', ['60']);
  const identity = identify(child.pid ?? 0);
  if (identity === undefined) throw new Error('sleep does not run');
  expect(isAlive(identity)).toBe(true);

  signalProcess({ ...identity, startedAt: 'another time' }, 'SIGKILL');
  expect(isAlive(identity)).toBe(true);

  const exit = once(child, 'exit');
  signalProcess(identity, 'SIGKILL');
  expect(await exit).toEqual([null, 'SIGKILL']);
  expect(isAlive(identity)).toBe(false);
  expect(() => signalProcess(identity, 'SIGKILL')).not.toThrow();
});
