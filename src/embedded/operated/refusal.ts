import type { TransportResponse } from '../../kube/transport.ts';

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
