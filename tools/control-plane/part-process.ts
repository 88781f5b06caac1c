import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import type { Part } from './command-lines.ts';
import { identify, type ProcessIdentity } from './process-identity.ts';

/** How to start one part. */
export interface PartLaunch {
  readonly part: Part;
  /** Folder with the binary under the part's name. */
  readonly programs: string;
  readonly args: readonly string[];
  /** Where it runs, and where its log goes. */
  readonly dataFolder: string;
}

/**
 * One running part of a control plane.
 *
 * It ends when this process ends, however that happens, unless it was let go: the binary reads from a pipe whose other end only this
 * process holds.
 */
export class PartProcess {
  readonly part: Part;
  readonly identity: ProcessIdentity;
  /** Settles, never rejects, when the process is really gone. */
  readonly gone: Promise<void>;
  #child: ChildProcess;
  #lifeline: Writable;
  #exit: string | undefined;
  #pauseHolder: ChildProcess | undefined;

  private constructor(part: Part, child: ChildProcess, identity: ProcessIdentity, lifeline: Writable) {
    this.part = part;
    this.identity = identity;
    this.#child = child;
    this.#lifeline = lifeline;
    this.gone = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#exit = signal ?? `exit code ${code}`;
        lifeline.destroy();
        resolve();
      });
    });
  }

  /** Starts the part. That it runs does not say that it is ready. */
  static launch({ part, programs, args, dataFolder }: PartLaunch): PartProcess {
    const log = openSync(logFile(dataFolder, part), 'a');
    const child = spawn(join(programs, part), args, {
      cwd: dataFolder,
      env: { ...process.env, PATH: pathOf(dataFolder), DROVER_LIFELINE: '1', KUBECONFIG: '/dev/null' },
      stdio: ['ignore', log, log, 'pipe'],
      // Its own process group: Ctrl-C in the terminal is for the owner, who then stops the parts in order.
      detached: true,
    });
    closeSync(log);
    const lifeline = child.stdio[3];
    const identity = child.pid === undefined ? undefined : identify(child.pid);
    if (identity === undefined || lifeline === null || lifeline === undefined || !('write' in lifeline)) {
      throw new Error(`${part} could not be started from ${programs}; remove that folder, so that it is built again`);
    }
    lifeline.on('error', () => undefined);
    child.unref();
    if ('unref' in lifeline && typeof lifeline.unref === 'function') lifeline.unref();
    return new PartProcess(part, child, identity, lifeline);
  }

  /** How it ended (`SIGKILL`, `exit code 1`), or undefined while it runs. */
  get exit(): string | undefined {
    return this.#exit;
  }

  /** Sends the signal and waits until the process is gone; one that takes longer than 3 s over a SIGTERM is killed. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (this.#exit !== undefined) return;
    this.#child.ref(); // or this process could end before it has seen the other one go
    this.#child.kill(signal);
    await this.resume();
    // The API server waits a minute for its watchers to leave, and they do not.
    const patience = setTimeout(() => this.#child.kill('SIGKILL'), 3000);
    await this.gone;
    clearTimeout(patience);
  }

  /** Freezes the process (SIGSTOP): its connections stay open and nobody answers. */
  async pause(): Promise<void> {
    if (this.#pauseHolder !== undefined || this.#exit !== undefined) return;
    // A frozen process cannot see that its owner died. This shell sees it instead, and thaws it.
    const script = 'kill -STOP "$0" && echo frozen && read -r _; kill -CONT "$0"';
    const holder = spawn('sh', ['-c', script, String(this.identity.pid)], {
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    });
    this.#pauseHolder = holder;
    const { promise, resolve } = Promise.withResolvers<void>();
    holder.stdout.once('data', () => resolve());
    holder.once('exit', () => resolve());
    await promise;
    holder.stdout.destroy();
    holder.unref();
  }

  /** Thaws a paused process; nothing happens to one that is not paused. */
  async resume(): Promise<void> {
    const holder = this.#pauseHolder;
    if (holder === undefined) return;
    this.#pauseHolder = undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    holder.once('exit', () => resolve());
    if (holder.exitCode !== null) resolve();
    holder.ref();
    holder.stdin?.end();
    await promise;
  }

  /** Lets the process outlive this one. */
  async letGo(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#lifeline.write('.', (error) => (error === null || error === undefined ? resolve() : reject(error)));
    await promise;
  }
}

/** Where the programs are that can be run in pods. */
export const programsIn = (dataFolder: string): string => join(dataFolder, 'programs');

const pathOf = (dataFolder: string): string => `${programsIn(dataFolder)}:${process.env['PATH'] ?? ''}`;

/** Where a part writes its log. */
export function logFile(dataFolder: string, part: Part): string {
  return join(dataFolder, `${part}.log`);
}

/** The last lines of a part's log; empty when there is none. */
export function readLogTail(dataFolder: string, part: Part, lines: number): string {
  try {
    return readFileSync(logFile(dataFolder, part), 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '';
  }
}
