import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { identify, isAlive, type ProcessIdentity } from './process-identity.ts';

const prefix = 'drover-cluster-';
const ownersFile = 'owners.json';
const hour = 60 * 60 * 1000;

const ownersSchema = z.array(z.object({ pid: z.number(), startedAt: z.string() }));

/** Makes an empty folder for one cluster, owned by this process. */
export function createDataFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, prefix));
  const self = identify(process.pid);
  if (self !== undefined) setOwners(folder, [self]);
  return folder;
}

/** Says for which processes the folder is kept: when all of them are gone it may be swept. */
export function setOwners(folder: string, owners: readonly ProcessIdentity[]): void {
  writeFileSync(join(folder, ownersFile), JSON.stringify(owners));
}

/** Removes folders that killed owners left behind; a folder takes about 130 MB, most of it etcd's log. */
export function sweepDataFolders(parent = tmpdir(), now = Date.now()): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(prefix)) continue;
    const folder = join(parent, name);
    if (isAbandoned(folder, now)) rmSync(folder, { recursive: true, force: true });
  }
}

function isAbandoned(folder: string, now: number): boolean {
  try {
    return !ownersSchema.parse(JSON.parse(readFileSync(join(folder, ownersFile), 'utf8'))).some(isAlive);
  } catch {
    // No owner is written for a moment after a folder is made.
    return ageOf(folder, now) > hour;
  }
}

function ageOf(folder: string, now: number): number {
  try {
    return now - statSync(folder).mtimeMs;
  } catch {
    return 0;
  }
}
