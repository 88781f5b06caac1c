/** The part of `ws` that is used here; the package brings no types of its own. */
declare module 'ws' {
  import type { EventEmitter } from 'node:events';
  import type { ClientRequest, IncomingMessage } from 'node:http';
  import type { RequestOptions } from 'node:https';
  import type { Duplex } from 'node:stream';

  interface Events {
    open: [];
    message: [data: Buffer, isBinary: boolean];
    /** 1000: as it should be. 1006: the connection broke. */
    close: [code: number, reason: Buffer];
    error: [error: Error];
    'unexpected-response': [request: ClientRequest, response: IncomingMessage];
  }

  export class WebSocket extends EventEmitter<Events> {
    constructor(
      url: string,
      protocols: readonly string[],
      options: RequestOptions & {
        readonly maxPayload?: number;
        readonly perMessageDeflate?: boolean;
        /** Must end the request. */
        readonly finishRequest?: (request: ClientRequest) => void;
      },
    );
    pause(): void;
    resume(): void;
    /** Ends the connection at once; harmless twice. */
    terminate(): void;
  }

  /** For tests. */
  export class WebSocketServer {
    constructor(options: { readonly noServer: true; readonly handleProtocols?: (offered: Set<string>) => string });
    handleUpgrade(
      request: IncomingMessage,
      socket: Duplex,
      head: Buffer,
      done: (socket: { send(data: Uint8Array): void; close(code: number): void; terminate(): void }) => void,
    ): void;
  }
}
