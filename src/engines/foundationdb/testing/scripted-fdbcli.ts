import type { Fdbcli, FdbcliResult } from '../fdbcli.ts';

const done: FdbcliResult = { exitCode: 0, stdout: '', stderr: '' };

/** An fdbcli that answers as it was told and remembers what it was asked. */
export class ScriptedFdbcli {
  readonly commands: string[] = [];
  readonly limits: number[] = [];
  /** The time limits of the statuses, in seconds. */
  readonly statusLimits: number[] = [];
  /** The statuses that it gives, one after the other; the last one stays. */
  statuses: string[];
  answer: Partial<FdbcliResult> | Error = done;

  constructor(...statuses: readonly string[]) {
    this.statuses = [...statuses];
  }

  readonly run: Fdbcli = ([, command = '', , limit = ''], { timeoutSeconds }) => {
    if (String(timeoutSeconds) !== limit) throw new Error(`two time limits: ${timeoutSeconds} and ${limit}`);
    if (command === 'status json') {
      this.statusLimits.push(timeoutSeconds);
      const [stdout = ''] = this.statuses.length > 1 ? this.statuses.splice(0, 1) : this.statuses;
      return Promise.resolve({ ...done, stdout });
    }
    this.commands.push(command);
    this.limits.push(timeoutSeconds);
    if (this.answer instanceof Error) return Promise.reject(this.answer);
    return Promise.resolve({ ...done, ...this.answer });
  };
}
