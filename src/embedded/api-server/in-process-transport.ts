import { Readable } from 'node:stream';
import type { Transport, TransportRequest, TransportResponse } from '../../kube/transport.ts';
import type { Answer } from './answer.ts';
import type { EmbeddedApiServer } from './api-server.ts';
import type { ExecMessages } from './exec.ts';
import { userOf } from './user.ts';
import { WatchStream } from './watch-stream.ts';

export interface InProcessOptions {
  /** Who sends, where a request has no bearer token of its own. @default 'system:admin' */
  readonly user?: string;
  readonly groups?: readonly string[];
}

/**
 * The way to the embedded API server without a network. Requests are handled in the order in which they are sent; a write that waits for no
 * webhook is done before the promise of `send` resolves, and seen by every watch from then on.
 */
export function inProcessTransport(server: EmbeddedApiServer, options: InProcessOptions = {}): Transport {
  return {
    async send(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> {
      signal.throwIfAborted();
      if (request.webSocket !== undefined) {
        const answer = await untilAborted(server.exec(request.path, signal), signal);
        return 'status' in answer ? responseOf(answer, signal) : webSocketOf(answer);
      }
      const user = userOf(request.headers['authorization'], options);
      const answer = await untilAborted(server.answer(request, user), signal);
      return responseOf(answer, signal);
    },
    close() {},
  };
}

function responseOf(answer: Answer, signal: AbortSignal): TransportResponse {
  const { body } = answer;
  if (body instanceof WatchStream) {
    const onAbort = () => body.fail(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    body.onClose(() => signal.removeEventListener('abort', onAbort));
  }
  return {
    status: answer.status,
    headers: { 'content-type': answer.contentType ?? 'application/json', ...answer.headers },
    warnings: answer.warnings ?? [],
    body: body instanceof WatchStream ? body : oneChunk(body),
  };
}

const webSocketOf = (messages: ExecMessages): TransportResponse => ({
  status: 101,
  headers: {},
  warnings: [],
  body: Readable.from(messages),
});

async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
