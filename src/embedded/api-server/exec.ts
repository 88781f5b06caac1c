import type { Answer } from './answer.ts';
import { errorAnswer } from './answer.ts';
import { listAt, textAt } from './json.ts';
import { parseRequest } from './request-info.ts';
import { badRequest, internalError, methodNotAllowed, notFound } from './status-error.ts';
import type { World } from './world.ts';

/** A program to be run in a container that the API server has found. */
export interface ProgramRun {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly command: readonly string[];
}

/** How it ended; or why the kubelet could not run it. */
export type ProgramEnd =
  | { readonly exitCode: number; readonly stdout: string; readonly stderr: string }
  | { readonly notRun: string };

/** Runs a program, as the kubelet of the pod's node does. */
export type RunProgram = (run: ProgramRun, signal: AbortSignal) => Promise<ProgramEnd>;

/** The messages of a WebSocket with the protocol v5.channel.k8s.io, as they are sent. */
export type ExecMessages = readonly Uint8Array[];

/** Answers a request for `pods/exec`: a refusal, or what the program prints and how it ends. */
export async function answerExec(
  { store }: World,
  runProgram: RunProgram,
  path: string,
  signal: AbortSignal,
): Promise<Answer | ExecMessages> {
  const info = parseRequest(path);
  if (info?.plural !== 'pods' || info.subresource !== 'exec') return errorAnswer(methodNotAllowed());
  const { namespace = '', name: pod = '', query } = info;
  const object = store.collection('pods').get(namespace, pod)?.object;
  if (object === undefined) return errorAnswer(notFound({ group: '', plural: 'pods' }, pod));
  const container = query.get('container') ?? '';
  if (!listAt(object, 'spec', 'containers').some((one) => textAt(one, 'name') === container))
    return errorAnswer(badRequest(`container ${container} is not valid for pod ${pod}`));
  if (textAt(object, 'spec', 'nodeName') === '')
    return errorAnswer(badRequest(`pod ${pod} does not have a host assigned`));
  return messagesOf(await runProgram({ namespace, pod, container, command: query.getAll('command') }, signal));
}

function messagesOf(end: ProgramEnd): ExecMessages {
  if ('notRun' in end) return [message(3, JSON.stringify(internalError(end.notRun).toStatus()))];
  const causes = [{ reason: 'ExitCode', message: String(end.exitCode) }];
  const failure = { status: 'Failure', reason: 'NonZeroExitCode', details: { causes } };
  const status = end.exitCode === 0 ? { status: 'Success' } : failure;
  return [message(1, end.stdout), message(2, end.stderr), message(3, JSON.stringify(status))];
}

const message = (channel: number, text: string): Uint8Array =>
  Buffer.concat([Buffer.from([channel]), Buffer.from(text)]);
