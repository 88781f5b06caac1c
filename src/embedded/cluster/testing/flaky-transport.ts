import { ConnectionLost } from '../../../kube/errors.ts';
import type { Random } from '../../../kube/random.ts';
import type { Transport, TransportRequest, TransportResponse } from '../../../kube/transport.ts';

/** A way to the API server on which, while it is bad, every third request goes wrong in one of four ways. */
export class FlakyNetwork {
  readonly #random: Random;
  isBad = true;
  /** How many requests went wrong. */
  faults = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  readonly between = (direct: Transport): Transport => ({
    send: (request, signal) => this.#send(direct, request, signal),
    close: () => direct.close(),
  });

  async #send(direct: Transport, request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> {
    const luck = this.isBad ? this.#random.next() * 12 : 12;
    if (luck < 4) this.faults += 1;
    if (luck < 1) return refusal(500, 'InternalError');
    if (luck < 2) return refusal(409, 'Conflict');
    if (luck < 3) throw new ConnectionLost('the network is bad today', { sent: false });
    const response = await direct.send(request, signal);
    if (luck < 4) throw new ConnectionLost('the answer was lost', { sent: true });
    return response;
  }
}

function refusal(status: number, reason: string): TransportResponse {
  const body = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code: status }));
  };
  return { status, headers: {}, warnings: [], body: body() };
}
