import { EngineUnreachable } from '../engine.ts';
import { excerpt } from '../excerpt.ts';

/** What the codes of the system and of Node mean, and what a person looks at next. `Configuration` and the like speak for themselves. */
const meanings: readonly (readonly [RegExp, string])[] = [
  [/^ENOTFOUND$/, 'its host name is not known to DNS: is the Service there, and the name right?'],
  [/^EAI_AGAIN$/, 'DNS does not answer: look at the cluster DNS'],
  [/^ECONNREFUSED$/, 'nobody listens there: is the server running, and the port right?'],
  [
    /^(EHOSTUNREACH|ENETUNREACH)$/,
    'there is no way to it: is its pod running, and does a NetworkPolicy let Drover in?',
  ],
  [
    /CERTIFICATE_REQUIRED|ALERT_BAD_CERTIFICATE|ALERT_CERTIFICATE_UNKNOWN|ALERT_UNKNOWN_CA|HANDSHAKE_FAILURE/,
    'it does not accept our client certificate: look at tls.crt and tls.key of the Secret that tlsSecretRef names',
  ],
  [/^ERR_OSSL/, 'a certificate or key of ours cannot be read: look at the Secret that tlsSecretRef names'],
  [/^ERR_SSL|^EPROTO$/, 'it does not speak TLS as we do: should the address begin with http instead of https?'],
  [/^HPE_/, 'what it answers is no HTTP: should the address begin with https instead of http?'],
  [
    /^(ECONNRESET|EPIPE)$/,
    'the connection was closed before the answer was complete: did the server crash, or does it want a client certificate that it trusts?',
  ],
];

/** Why no whole answer came, in a sentence for a person. What explains itself is kept. */
export function silenceOf(what: string, error: unknown): EngineUnreachable {
  if (error instanceof EngineUnreachable) return error;
  const [message = 'no reason given', ...codes] = wordsOf(error);
  const known = codes.flatMap((code) => meanings.find(([pattern]) => pattern.test(code))?.[1] ?? []);
  // The innermost error has the system's own code; those around it say less.
  const meaning = known.at(-1);
  const why = meaning === undefined ? excerpt(message) : `${meaning} (${codes.at(-1)})`;
  return new EngineUnreachable(`${what} got no answer: ${why}`, { cause: error });
}

/** The message of an error, and the codes of all that led to it, the outermost first. */
function wordsOf(error: unknown): readonly string[] {
  const codes: string[] = [];
  let cause: unknown = error;
  for (let depth = 0; depth < 8 && cause instanceof Error; depth++) {
    if ('code' in cause && typeof cause.code === 'string') codes.push(cause.code);
    cause = cause.cause;
  }
  return [error instanceof Error ? error.message : String(error), ...codes];
}
