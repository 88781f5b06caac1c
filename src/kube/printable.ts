import { describeError } from './error-description.ts';

const hidden = '[redacted]';

/** Deeper than any value that we log on purpose; a whole object that slipped in stays readable and bounded. */
const deepest = 8;

/** Keys whose value is a credential, whatever it looks like. `secret` alone is not one: it names an object of that kind. */
const credentialKeys =
  /^(?:authorization|proxy-authorization|cookie|set-cookie|tls\.key|ca\.key)$|(?:token|password|passwd|passphrase|private-?key|client-?secret|access-?key|key-?data|credentials?)$/i;

/** Text that is a credential wherever it stands: also in the middle of someone else's error message. */
const credentialTexts: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${hidden}`],
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, hidden],
  [/-----BEGIN ([A-Z ]*)PRIVATE KEY-----[\s\S]*?(?:-----END \1PRIVATE KEY-----|$)/g, hidden],
  [/(\/\/[^/\s:@]+):[^/\s@]+@/g, `$1:${hidden}@`],
];

/** The text without what would let its reader in somewhere: bearer tokens, JWTs, private keys, passwords in URLs. */
export function redactText(text: string): string {
  return credentialTexts.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text);
}

/**
 * A copy that may be printed as JSON: credentials hidden by key and by look, `data` of Kubernetes Secrets hidden, errors described with
 * their causes, cycles and great depths cut. Never throws, whatever it is given: a value that cannot be read is replaced by a note.
 */
export function printable(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  try {
    return copyEntries(Object.entries(values), [values], isCredential);
  } catch {
    return { values: '[unreadable]' };
  }
}

function copy(value: unknown, parents: readonly object[]): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'function' || typeof value === 'symbol') return `[${typeof value}]`;
  if (typeof value !== 'object' || value === null) return value;
  if (parents.includes(value)) return '[circular]';
  if (parents.length >= deepest) return '[deep]';
  try {
    return copyObject(value, [...parents, value]);
  } catch {
    return '[unreadable]';
  }
}

function copyObject(value: object, parents: readonly object[]): unknown {
  if (value instanceof Error) return copy(describeError(value), parents);
  if (Array.isArray(value)) return value.map((item) => copy(item, parents));
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if ('toJSON' in value && typeof value.toJSON === 'function') return copy(value.toJSON(), parents);
  if (value instanceof Set) return [...value].map((item) => copy(item, parents));
  const entries: Iterable<readonly [unknown, unknown]> = value instanceof Map ? value : Object.entries(value);
  return copyEntries(entries, parents, isSecret(value) ? isSecretField : isCredential);
}

function copyEntries(
  entries: Iterable<readonly [unknown, unknown]>,
  parents: readonly object[],
  hides: (key: string, value: unknown) => boolean,
): Record<string, unknown> {
  const shown: [string, unknown][] = [];
  for (const [key, value] of entries) {
    const name = String(key);
    shown.push([name, hides(name, value) ? hidden : copy(value, parents)]);
  }
  return Object.fromEntries(shown);
}

/** An object or a number under such a key (`token: { expires }`, `tokens: 3`) says something without giving anything away. */
function isCredential(key: string, value: unknown): boolean {
  return credentialKeys.test(key) && (typeof value === 'string' || ArrayBuffer.isView(value) || Array.isArray(value));
}

function isSecretField(key: string, value: unknown): boolean {
  return key === 'data' || key === 'stringData' || isCredential(key, value);
}

function isSecret(value: object): boolean {
  return 'kind' in value && value.kind === 'Secret';
}
