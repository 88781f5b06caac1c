import type { Logger as PinoLogger } from 'pino';
import { destination, pino } from 'pino';
import type { Clock } from './clock.ts';
import { toTimestamp } from './clock.ts';
import { printable } from './printable.ts';

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** What a line says besides its message. An `Error` under any key is described with its code and its causes. */
export type LogValues = Readonly<Record<string, unknown>>;

/**
 * Where the program says what it does. The message is a constant, so that lines can be counted and found; whatever varies is a value under
 * a key. Logging never throws and never waits, and credentials among the values are hidden.
 */
export interface Logger {
  debug(message: string, values?: LogValues): void;
  info(message: string, values?: LogValues): void;
  warn(message: string, values?: LogValues): void;
  error(message: string, values?: LogValues): void;
  /** A logger that adds these values to every line of its own. */
  with(values: LogValues): Logger;
}

export interface LogOptions {
  readonly clock: Clock;
  /** Lines below this level are not written. @default 'info' */
  readonly level?: LogLevel;
  /** @default standard error, written at once, so that the last line before a crash is not lost */
  readonly destination?: { write(line: string): void };
}

/** A logger that writes one JSON object a line: `ts`, `level`, `msg` and the values. */
export function jsonLogger(options: LogOptions): Logger {
  return wrap(
    pino(
      {
        level: options.level ?? 'info',
        base: null,
        messageKey: 'msg',
        timestamp: () => `,"ts":"${toTimestamp(options.clock.now())}"`,
        formatters: { level: (label) => ({ level: label }) },
      },
      options.destination ?? destination({ fd: 2, sync: true }),
    ),
  );
}

function wrap(inner: PinoLogger): Logger {
  const write =
    (level: Exclude<LogLevel, 'silent'>) =>
    (message: string, values: LogValues = {}) => {
      if (inner.isLevelEnabled(level)) inner[level](fields(values), message);
    };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    with: (values) => wrap(inner.child(fields(values))),
  };
}

/** The line's own fields stay what they are: a value that would hide one of them moves aside. */
const ownFields = new Set(['ts', 'level', 'msg']);

function fields(values: LogValues): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(printable(values)).map(([key, value]) => [ownFields.has(key) ? `${key}_` : key, value]),
  );
}
