import type { TransportRequest, TransportResponse } from '../../kube/transport.ts';

/** What an API server answers that does not take something. */
export const refusal = (code: number, message: string): TransportResponse => ({
  status: code,
  headers: { 'content-type': 'application/json' },
  warnings: [],
  body: {
    async *[Symbol.asyncIterator]() {
      const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', code };
      yield new TextEncoder().encode(JSON.stringify({ ...status, message }));
    },
  },
});

/** What a role without the right to read says. */
export const forbidden = refusal(403, 'forbidden: the role does not allow it');

/** The kinds that a role gives no rights on at present: `nodes`, or `PATCH nodes` for that alone. */
export class Denied {
  readonly rights: Set<string>;
  /** How often one of them was tried nevertheless. */
  tries = 0;

  constructor(rights: readonly string[]) {
    this.rights = new Set(rights);
  }

  refuses({ method, path }: Pick<TransportRequest, 'method' | 'path'>): boolean {
    const isRefused = path.split(/[/?]/).some((part) => this.rights.has(part) || this.rights.has(`${method} ${part}`));
    if (isRefused) this.tries += 1;
    return isRefused;
  }
}
