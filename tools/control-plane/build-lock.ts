import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { identify, isAlive, type ProcessIdentity } from './process-identity.ts';

const holderSchema = z.object({ pid: z.number(), startedAt: z.string() });

export interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called once when somebody else holds the lock. */
  readonly onWait?: ((holder: ProcessIdentity) => void) | undefined;
  readonly pollMilliseconds?: number | undefined;
}

/**
 * Waits until no other living process holds the lock, takes it, runs the work and lets go.
 *
 * It only saves work: should two break the same dead lock at once, both run. What they do must bear that.
 */
export async function withLock<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  let told = false;
  while (!tryTake(path)) {
    const holder = readHolder(path);
    if (holder === undefined || !isAlive(holder)) {
      rmSync(path, { force: true });
      continue;
    }
    if (!told) options.onWait?.(holder);
    told = true;
    await sleep(options.pollMilliseconds ?? 500, undefined, { signal: options.signal });
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

function tryTake(path: string): boolean {
  // A link appears with its content already in it; a file that is created and then written could be read in between.
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(identify(process.pid)));
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function readHolder(path: string): ProcessIdentity | undefined {
  try {
    return holderSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}
