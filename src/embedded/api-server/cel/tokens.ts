/** A piece of an expression. */
export interface Token {
  readonly type: 'name' | 'number' | 'string' | 'sign' | 'end';
  readonly text: string;
}

/** An expression that cannot be read, or whose evaluation failed, in CEL's words. */
export class CelError extends Error {
  override readonly name = 'CelError';
  readonly code = 'Cel';
}

const pattern =
  /\s*(?:(?<raw>[rR](?:'[^']*'|"[^"]*"))|(?<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(?<number>\d+(?:\.\d+)?u?)|(?<name>[A-Za-z_][A-Za-z0-9_]*)|(?<sign>==|!=|<=|>=|&&|\|\||[-+*/%!<>?:.,()[\]{}]))/y;

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/** The pieces of an expression, ending with `end`. */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  pattern.lastIndex = 0;
  while (source.slice(pattern.lastIndex).trim() !== '') {
    const at = pattern.lastIndex;
    const found = pattern.exec(source)?.groups;
    if (found === undefined)
      throw new CelError(`cannot read the expression at ${JSON.stringify(source.slice(at, at + 20))}`);
    const { raw, string, number, name, sign } = found;
    if (raw !== undefined) tokens.push({ type: 'string', text: raw.slice(2, -1) });
    else if (string !== undefined) {
      const text = string.slice(1, -1).replaceAll(/\\(.)/g, (_, letter: string) => escapes[letter] ?? letter);
      tokens.push({ type: 'string', text });
    } else if (number !== undefined) tokens.push({ type: 'number', text: number.replace('u', '') });
    else if (name !== undefined) tokens.push({ type: 'name', text: name });
    else tokens.push({ type: 'sign', text: sign ?? '' });
  }
  tokens.push({ type: 'end', text: '' });
  return tokens;
}
