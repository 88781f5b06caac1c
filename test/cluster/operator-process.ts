import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { QuickClock } from './quick-clock.ts';

/** The operator as its users run it: a process with a command line, an exit code and a log. */
export class OperatorProcess {
  readonly #child: ChildProcess;
  readonly #exit: Promise<number | null>;
  #output = '';
  #code: number | null | undefined;

  constructor(args: readonly string[], program: readonly string[] = ['src/cli/main.ts', 'operator']) {
    this.#child = spawn(process.execPath, [...program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stdout?.on('data', (chunk: Buffer) => (this.#output += chunk.toString()));
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.#output += chunk.toString()));
    this.#exit = new Promise((resolve) => this.#child.once('close', resolve));
    void this.#exit.then((code) => {
      this.#code = code;
    });
  }

  /** One whose clock is quick; it asks to be asked at this port, and knows these taints as those of nodes that are about to go. */
  static quick(
    clock: QuickClock,
    kubeconfig: string,
    webhookPort: number,
    leavingTaints: readonly string[] = [],
  ): OperatorProcess {
    const args = [clock.times, clock.since, kubeconfig, webhookPort, ...leavingTaints].map(String);
    return new OperatorProcess(args, ['test/cluster/quick-operator.ts']);
  }

  /** Everything that it printed so far. */
  get output(): string {
    return this.#output;
  }

  /** The lines of its log, as far as they are whole. */
  get log(): readonly Readonly<Record<string, unknown>>[] {
    return this.#output.split('\n').flatMap((line): Record<string, unknown>[] => {
      try {
        return [JSON.parse(line)];
      } catch {
        return [];
      }
    });
  }

  /** Waits until a line of the log says this. */
  async says(message: string, limit = 30_000): Promise<Readonly<Record<string, unknown>>> {
    for (let waited = 0; waited < limit; waited += 50) {
      const line = this.log.find(({ msg }) => msg === message);
      if (line !== undefined) return line;
      await pause(50);
    }
    throw new Error(`it never said "${message}":\n${this.#output}`);
  }

  /** Where it listens, once it does. */
  async ports(): Promise<{ readonly health: number; readonly webhook: number }> {
    const { health, webhook } = await this.says('listening');
    return { health: Number(health), webhook: Number(webhook) };
  }

  /** How it ended, and its last words; undefined while it runs. */
  get end(): string | undefined {
    return this.#code === undefined ? undefined : `it ended with ${this.#code}: ${this.#output.slice(-1000)}`;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  exitCode(): Promise<number | null> {
    return this.#exit;
  }

  /** Tells it to stop, and waits: how long that took, in milliseconds, and with which code it ended. */
  async stop(): Promise<{ readonly code: number | null; readonly took: number }> {
    const started = performance.now();
    this.kill('SIGTERM');
    const code = await this.#exit;
    return { code, took: performance.now() - started };
  }
}
