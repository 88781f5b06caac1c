import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withLock } from './build-lock.ts';
import { identify } from './process-identity.ts';

const newLock = (): string => join(mkdtempSync(join(tmpdir(), 'lock-')), 'lock');
const poll = { pollMilliseconds: 5 };

test('two at once work one after the other, and the second is told once whom it waits for', async () => {
  const lock = newLock();
  const story: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = withLock(lock, poll, async () => {
    story.push('first begins');
    await gate.promise;
    story.push('first ends');
  });
  const told = Promise.withResolvers<number>();
  const second = withLock(
    lock,
    { ...poll, onWait: ({ pid }) => told.resolve(pid) },
    async () => void story.push('second'),
  );
  expect(await told.promise).toBe(process.pid);
  gate.resolve();
  await Promise.all([first, second]);
  expect(story).toEqual(['first begins', 'first ends', 'second']);
});

test.each([
  ['a process that has ended', JSON.stringify({ pid: 2 ** 30, startedAt: '1' })],
  ['a process whose id another one has now', JSON.stringify({ pid: process.pid, startedAt: 'long ago' })],
  ['nobody who can be read', '{'],
])('a lock of %s is broken', async (_, content) => {
  const lock = newLock();
  writeFileSync(lock, content);
  expect(await withLock(lock, poll, async () => 'done')).toBe('done');
});

test('the lock is let go when the work fails', async () => {
  const lock = newLock();
  await expect(withLock(lock, poll, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(existsSync(lock)).toBe(false);
});

test('whoever waits can be called off', async () => {
  const lock = newLock();
  writeFileSync(lock, JSON.stringify(identify(process.pid)));
  const abort = new AbortController();
  const waiting = withLock(lock, { ...poll, signal: abort.signal }, async () => 'never');
  abort.abort();
  await expect(waiting).rejects.toThrow('aborted');
  expect(existsSync(lock)).toBe(true);
});
