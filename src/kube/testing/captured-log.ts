import type { Logger, LogValues } from '../log.ts';

export interface CapturedLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly values: LogValues;
}

/** A logger that remembers its lines, those of its children among them, for a test to look at. */
export class CapturedLog implements Logger {
  readonly lines: CapturedLine[];
  readonly #values: LogValues;

  constructor(lines: CapturedLine[] = [], values: LogValues = {}) {
    this.lines = lines;
    this.#values = values;
  }

  debug(message: string, values?: LogValues): void {
    this.#add('debug', message, values);
  }

  info(message: string, values?: LogValues): void {
    this.#add('info', message, values);
  }

  warn(message: string, values?: LogValues): void {
    this.#add('warn', message, values);
  }

  error(message: string, values?: LogValues): void {
    this.#add('error', message, values);
  }

  with(values: LogValues): Logger {
    return new CapturedLog(this.lines, { ...this.#values, ...values });
  }

  #add(level: CapturedLine['level'], message: string, values: LogValues = {}): void {
    this.lines.push({ level, message, values: { ...this.#values, ...values } });
  }
}
