import type { IncomingMessage, Server } from 'node:http';
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

/** One piece of an answer to `exec`: a message, or an end of the connection. */
export type ExecStep =
  | { readonly channel: number; readonly text: string | Uint8Array }
  | 'close' // as it should be
  | 'cut'
  | 'hang';

/** What a program does, as the server tells it; or the server's refusal to run it. */
export type ExecAnswer = readonly ExecStep[] | { readonly refused: number; readonly message: string };

export const stdout = (text: string): ExecStep => ({ channel: 1, text });
export const stderr = (text: string): ExecStep => ({ channel: 2, text });
export const success: ExecStep = { channel: 3, text: JSON.stringify({ status: 'Success' }) };
export const exited = (code: number): ExecStep => ({
  channel: 3,
  text: JSON.stringify({
    status: 'Failure',
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  }),
});
export const failed = (message: string, code = 500): ExecStep => ({
  channel: 3,
  text: JSON.stringify({ status: 'Failure', reason: 'InternalError', message, code }),
});

/** An API server of which only `exec` is left: it answers what it is told to, over real sockets. */
export class ExecServer {
  readonly asked: { readonly url: URL; readonly authorization: string | undefined; readonly protocols: string }[] = [];
  /** How many connections have been closed by the other side. */
  closed = 0;
  readonly #server: Server;
  readonly #answers: ExecAnswer[];

  constructor(answers: readonly ExecAnswer[]) {
    this.#answers = [...answers];
    this.#server = createServer();
    const sockets = new WebSocketServer({ noServer: true });
    this.#server.on('upgrade', (request, socket, head) => {
      this.#note(request);
      const answer = this.#answers.shift() ?? { refused: 500, message: 'nobody expected this' };
      socket.on('close', () => (this.closed += 1));
      if ('refused' in answer) {
        const body = JSON.stringify({ kind: 'Status', message: answer.message, reason: 'Refused' });
        socket.end(
          `HTTP/1.1 ${answer.refused} No\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
        );
        return;
      }
      sockets.handleUpgrade(request, socket, head, (open) => {
        for (const step of answer) {
          if (step === 'close') open.close(1000);
          else if (step === 'cut') open.terminate();
          else if (step !== 'hang') open.send(Buffer.concat([Buffer.from([step.channel]), Buffer.from(step.text)]));
        }
      });
    });
  }

  async listen(): Promise<URL> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('not listening');
    return new URL(`http://127.0.0.1:${address.port}/base`);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #note({ url = '', headers }: IncomingMessage): void {
    const { authorization, 'sec-websocket-protocol': protocols = '' } = headers;
    this.asked.push({ url: new URL(url, 'http://server'), authorization, protocols });
  }
}
