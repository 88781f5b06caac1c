import type { CallOptions } from './client-options.ts';
import type { ApiStatus, RequestName } from './errors.ts';
import { ConnectionLost, KubeApiError, MalformedAnswer } from './errors.ts';
import type { ObjectKey } from './object.ts';
import { objectPath } from './resource.ts';
import { pods } from './resources.ts';

/** A program to run in a container, and what it may cost. */
export interface ExecOptions extends CallOptions {
  readonly container: string;
  /** The program and its arguments, each as it is: no shell takes them apart. */
  readonly command: readonly [program: string, ...args: string[]];
  /** How much it may print, on both ways together. */
  readonly mostBytes: number;
}

/** What came of a program that ran to its end. */
export interface ExecResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** With 4 the exit code has a form, with 5 the server tells the end of its input from the end of the connection. */
export const execProtocols: readonly string[] = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];

/** Where to ask for it. Nothing is ever written to the program. */
export function execPath(pod: ObjectKey, { container, command }: ExecOptions): string {
  const query = new URLSearchParams({ container, stdout: 'true', stderr: 'true' });
  for (const word of command) query.append('command', word);
  return `${objectPath(pods, pod, 'exec')}?${query.toString()}`;
}

/** The first byte of a message says where it belongs. */
const channels = { stdout: 1, stderr: 2, status: 3 } as const;

/**
 * What a program printed and how it ended, from the messages of the server. They are read until the server closes: the status may overtake what
 * was printed before it. Throws `ConnectionLost` where the end is missing, `MalformedAnswer` for too much, and `KubeApiError` where the program
 * could not be run.
 */
export async function execResult(
  messages: AsyncIterable<Uint8Array>,
  request: RequestName,
  mostBytes: number,
): Promise<ExecResult> {
  const parts: Record<number, Uint8Array[]> = { [channels.stdout]: [], [channels.stderr]: [], [channels.status]: [] };
  let bytes = 0;
  for await (const message of messages) {
    bytes += message.length;
    if (bytes > mostBytes)
      throw new MalformedAnswer(`${request.method} ${request.path}: more than ${mostBytes} bytes were printed`);
    parts[message[0] ?? -1]?.push(message.subarray(1));
  }
  const text = (channel: number) => Buffer.concat(parts[channel] ?? []).toString('utf8');
  const exitCode = exitCodeIn(text(channels.status), request);
  return { exitCode, stdout: text(channels.stdout), stderr: text(channels.stderr) };
}

interface ExecStatus extends ApiStatus {
  readonly status?: string;
  readonly code?: number;
}

function exitCodeIn(text: string, request: RequestName): number {
  if (text === '')
    throw new ConnectionLost(`${request.method} ${request.path}: it ended, and nothing says how`, { sent: true });
  const status = parsed(text, request);
  if (status.status === 'Success') return 0;
  const code = Number(status.details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message ?? Number.NaN);
  if (Number.isInteger(code)) return code;
  throw new KubeApiError(request, status.code ?? 500, status);
}

function parsed(text: string, request: RequestName): ExecStatus {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Said below.
  }
  throw new MalformedAnswer(`${request.method} ${request.path}: how it ended is not said in a form that is known`);
}
