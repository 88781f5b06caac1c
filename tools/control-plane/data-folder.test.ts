import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createDataFolder, setOwners, sweepDataFolders } from './data-folder.ts';

const scratch = mkdtempSync(join(tmpdir(), 'data-folders-'));
afterAll(() => rmSync(scratch, { recursive: true }));

const newParent = (): string => mkdtempSync(join(scratch, 'parent-'));
const hour = 60 * 60 * 1000;

test('a folder stays while its owner lives', () => {
  const parent = newParent();
  const folder = createDataFolder(parent);
  sweepDataFolders(parent, Date.now() + 24 * hour);
  expect(existsSync(folder)).toBe(true);
});

test('a folder whose owners are all gone is swept', () => {
  const parent = newParent();
  const folder = createDataFolder(parent);
  setOwners(folder, [{ pid: process.pid, startedAt: 'long ago' }]);
  sweepDataFolders(parent);
  expect(existsSync(folder)).toBe(false);
});

test('a folder without an owner is swept when it is old, because a new one has none for a moment', () => {
  const parent = newParent();
  const folder = join(parent, 'drover-cluster-x');
  mkdirSync(folder);
  sweepDataFolders(parent);
  expect(existsSync(folder)).toBe(true);
  sweepDataFolders(parent, Date.now() + 2 * hour);
  expect(existsSync(folder)).toBe(false);
});

test('folders of other names are nobody’s business', () => {
  const parent = newParent();
  mkdirSync(join(parent, 'precious'));
  sweepDataFolders(parent, Date.now() + 24 * hour);
  expect(existsSync(join(parent, 'precious'))).toBe(true);
});
