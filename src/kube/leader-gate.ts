import type { RequestName } from './errors.ts';
import type { Transport } from './transport.ts';

/** Who may write. Asked immediately before each write; the answer is true of this instant only and never throws. */
export interface LeaderGate {
  isLeader(): boolean;
}

/** The write was not sent, because this process does not lead, or does not lead any more. Nothing happened. */
export class NotLeading extends Error {
  override readonly name = 'NotLeading';
  readonly code = 'NotLeading';
}

/** Throws `NotLeading` unless this process leads now. */
export function assertLeading(gate: LeaderGate, what: string): void {
  if (!gate.isLeader()) throw new NotLeading(`${what}: not sent, because another replica may lead by now`);
}

/**
 * The same transport, which lets a request through that could change something only while the gate is open, and otherwise rejects with
 * `NotLeading`: every one but a GET, and a GET that opens a WebSocket, because what runs in a pod then may do anything. It asks at the moment of
 * sending: after the client's rate limit, and again for each retry.
 *
 * What has been sent is out of its hands. Such a request may arrive after another replica has begun to lead, so every write must carry
 * what it was decided on (`resourceVersion`, `uid`): then it fails on the server as soon as the other one has written first.
 */
export function fencedTransport(transport: Transport, gate: LeaderGate): Transport {
  return {
    async send(request, signal) {
      const onlyReads = request.method === 'GET' && request.webSocket === undefined;
      if (!onlyReads) assertLeading(gate, describe(request));
      return transport.send(request, signal);
    },
    close: () => transport.close(),
  };
}

function describe({ method, path }: RequestName): string {
  return `${method} ${path.split('?', 1)[0]}`;
}
