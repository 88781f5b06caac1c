import type { IncomingMessage } from 'node:http';
import type { Connection } from './connection.ts';
import { ConfigurationError, ConnectionLost } from './errors.ts';
import type { TransportResponse } from './transport.ts';

/** Refusals of TLS that no retry mends: a person has to change the trust or the certificate. */
const trustFailures: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet; compare the clocks',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is not signed by the CA that we were given',
  SELF_SIGNED_CERT_IN_CHAIN: 'is not signed by the CA that we were given',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'is not signed by the CA that we were given',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'is not signed by the CA that we were given',
  UNABLE_TO_GET_ISSUER_CERT: 'is not signed by the CA that we were given',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another host name',
};

/** What node:http heard, as an answer of the API server. */
export function answerOf(incoming: IncomingMessage, connection: Connection, signal: AbortSignal): TransportResponse {
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(incoming.headers)) headers[name] = Array.isArray(value) ? value[0] : value;
  return {
    status: incoming.statusCode ?? 0,
    headers,
    warnings: (incoming.headersDistinct['warning'] ?? []).flatMap(warningTexts),
    body: readAll(incoming, connection, signal),
  };
}

async function* readAll(
  incoming: IncomingMessage,
  connection: Connection,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of incoming) yield chunk;
  } catch (cause) {
    throw signal.aborted ? signal.reason : troubleWith(connection, cause, true);
  }
  if (!incoming.complete) throw troubleWith(connection, undefined, true);
}

/** Why a request came to nothing. `sent`: the server may have heard it. */
export function troubleWith(connection: Connection, cause: unknown, sent: boolean): Error {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  const trust = code === undefined ? undefined : trustFailures[code];
  if (trust !== undefined) {
    return new ConfigurationError(
      `the certificate of ${connection.server.origin} ${trust}; check certificate-authority in ${connection.source}`,
      cause,
    );
  }
  const what = sent ? 'the connection broke before the answer was complete' : 'no connection';
  return new ConnectionLost(`${connection.server.origin}: ${what} (${code ?? 'closed'})`, { sent, cause });
}

/** `299 - "text with \"quotes\""`, possibly several in one header line. */
function warningTexts(header: string): string[] {
  return [...header.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map((match) =>
    (match[1] ?? '').replace(/\\(.)/g, '$1'),
  );
}
