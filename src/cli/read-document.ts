import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Document, YAMLParseError } from 'yaml';
import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';

/** A YAML or JSON file, with the lines that its parts stand on. */
export interface SourceDocument {
  /** As messages call it: the file, or `standard input`. */
  readonly name: string;
  readonly value: unknown;
  /** The line of the part at this path, or of the nearest part around it. */
  lineOf(path: readonly (string | number)[]): number;
}

/** The file cannot be read or is no YAML; the message says where. */
export class UnreadableDocument extends Error {
  override readonly name = 'UnreadableDocument';
  readonly code = 'UnreadableDocument';
}

/** The system's codes that a person can do something about. */
const causes: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
};

/** Reads a file, or standard input for `-`. */
export async function readDocument(file: string): Promise<SourceDocument> {
  const name = file === '-' ? 'standard input' : file;
  const source = await (file === '-' ? text(process.stdin) : readFile(file, 'utf8')).catch((cause: unknown) => {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
    throw new UnreadableDocument(`${name}: cannot be read: ${causes[code] ?? code}`, { cause });
  });
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) {
    throw new UnreadableDocument(`${name}:${lines.linePos(error.pos[0]).line}: ${whatIsWrong(error)}`);
  }
  return { name, value: valueOf(document, name), lineOf: (path) => lineOf(document, lines, path) };
}

/** The parser's words without the place, which stands before them, and without its advice to programmers. */
function whatIsWrong({ code, message }: YAMLParseError): string {
  if (code === 'MULTIPLE_DOCS') return 'a second document begins here, and there may be only one';
  return message.split('\n', 1)[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? message;
}

/** An alias of nothing, or aliases of aliases without end, show only here. */
function valueOf(document: Document, name: string): unknown {
  try {
    return document.toJS();
  } catch (cause) {
    throw new UnreadableDocument(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** A field stands where its name stands, not where its value begins. */
function lineOf(document: Document, lines: LineCounter, path: readonly (string | number)[]): number {
  let offset = 0;
  let part: unknown = document.contents;
  for (const step of path) {
    if (isAlias(part)) part = part.resolve(document);
    let at: unknown;
    if (isMap(part)) {
      const pair = part.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      at = pair?.key;
      part = pair?.value;
    } else if (isSeq(part) && typeof step === 'number') {
      part = part.items[step];
      at = part;
    } else break;
    if (!isNode(at) || !at.range) break;
    offset = at.range[0];
  }
  return lines.linePos(offset).line;
}
