import type { Seconds } from '../../model/time.ts';
import { seconds } from '../../model/time.ts';
import { EngineRefused, EngineUnreachable } from '../engine.ts';
import { commandOf } from './command-words.ts';
import type { Fdbcli, FdbcliResult } from './fdbcli.ts';
import { troubleIn } from './fdbcli-trouble.ts';
import { parseStatus } from './parse-status.ts';
import type { SoundStatus } from './sound-status.ts';
import { isAvailable, soundStatus } from './sound-status.ts';
import type { Status } from './status.schema.ts';

/** How long one command may take (research 4.1). */
export interface TimeLimits {
  readonly usual: Seconds;
  /** For what asks every process, or waits for a recovery: status, exclude, coordinators, configure. */
  readonly most: Seconds;
}

export const timeLimits: TimeLimits = { usual: seconds(10), most: seconds(40) };

/** Commands to one database, each with its time limit, and each judged by what it printed. */
export class Session {
  readonly #fdbcli: Fdbcli;
  readonly #limits: TimeLimits;
  #connectionString: string | null = null;

  constructor(fdbcli: Fdbcli, limits: TimeLimits) {
    this.#fdbcli = fdbcli;
    this.#limits = limits;
  }

  /** What the database last said of itself; null until it did. */
  get connectionString(): string | null {
    return this.#connectionString;
  }

  /** The status, whatever it says. Throws `EngineUnreachable` where there is none that makes sense. */
  async status(signal: AbortSignal): Promise<Status> {
    const result = await this.#run('status json', this.#limits.most, signal);
    if (result.exitCode !== 0) {
      const trouble = troubleIn('status json', result);
      throw new EngineUnreachable(trouble?.message ?? 'status json failed', { cause: trouble });
    }
    const status = parseStatus(result.stdout);
    this.#connectionString = status.cluster?.connection_string ?? this.#connectionString;
    return status;
  }

  /** The status of a database that can be told something now. Throws `EngineUnreachable` for one that cannot: nothing was sent to it. */
  async statusOfAvailable(signal: AbortSignal): Promise<SoundStatus> {
    const status = soundStatus(await this.status(signal));
    if (isAvailable(status)) return status;
    const state = status.cluster.recovery_state?.name ?? 'not known';
    throw new EngineUnreachable(
      `the database is not available (recovery state: ${state}), so nothing was sent to it: it is tried again when it is`,
    );
  }

  /** One command. Throws `EngineRefused` or `EngineUnreachable` where it did not end well, by its exit code or by its words. */
  async tell(words: readonly string[], signal: AbortSignal, limit: keyof TimeLimits = 'usual'): Promise<void> {
    const command = commandOf(words);
    const trouble = troubleIn(command, await this.#run(command, this.#limits[limit], signal));
    if (trouble !== undefined) throw trouble;
  }

  async #run(command: string, limit: Seconds, signal: AbortSignal): Promise<FdbcliResult> {
    if (signal.aborted) throw new EngineUnreachable(`\`${command}\` was not begun`, { cause: signal.reason });
    const argv = ['--exec', command, '--timeout', String(Math.ceil(limit))];
    try {
      return await this.#fdbcli(argv, { timeoutSeconds: Math.ceil(limit), signal });
    } catch (cause) {
      if (cause instanceof EngineUnreachable || cause instanceof EngineRefused) throw cause;
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new EngineUnreachable(`fdbcli did not run \`${command}\` to its end: ${why}`, { cause });
    }
  }
}
