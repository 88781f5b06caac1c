/** How a piece of text stands out, where the terminal has colours. */
export type Style = 'plain' | 'strong' | 'faint' | 'good' | 'busy' | 'bad';

/** A piece of a line in one style. */
export interface Span {
  readonly text: string;
  readonly style: Style;
}

/** One line of the screen. */
export type StyledLine = readonly Span[];

/** A piece of text; plain where no style is named. */
export const span = (text: string, style: Style = 'plain'): Span => ({ text, style });

/** In characters. */
export const widthOf = (line: StyledLine): number => line.reduce((sum, { text }) => sum + text.length, 0);

/** The line with exactly that many characters, cut or filled up with spaces. What is cut ends in `~`. */
export function fit(line: StyledLine, width: number): StyledLine {
  const missing = width - widthOf(line);
  if (missing >= 0) return missing === 0 ? line : [...line, span(' '.repeat(missing))];
  return cut(line, width);
}

/** The line with at most that many characters. */
export function cut(line: StyledLine, width: number): StyledLine {
  if (widthOf(line) <= width) return line;
  const kept: Span[] = [];
  let left = Math.max(0, width - 1);
  for (const { text, style } of line) {
    const part = text.slice(0, left);
    left -= part.length;
    if (part !== '') kept.push(span(part, style));
  }
  return width > 0 ? [...kept, span('~', 'faint')] : [];
}

/** The text in lines of at most that many characters, broken between words; a word that is longer than a line is broken too. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((one) => pieces(one, Math.max(1, width)))) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function pieces(word: string, width: number): readonly string[] {
  if (word.length <= width) return [word];
  return Array.from({ length: Math.ceil(word.length / width) }, (_, index) =>
    word.slice(index * width, (index + 1) * width),
  );
}

const codes: { readonly [style in Style]: string } = {
  plain: '',
  strong: '1',
  faint: '2',
  good: '32',
  busy: '33',
  bad: '31',
};

/** For the terminal. Without colours nothing but the text is left, and nothing in a text can steer the terminal. */
export function paint(line: StyledLine, colours: boolean): string {
  return line
    .map(({ text, style }) => {
      const harmless = text.replace(/\p{Cc}/gu, ' ');
      const code = colours && text !== '' ? codes[style] : '';
      return code === '' ? harmless : `\u001b[${code}m${harmless}\u001b[0m`;
    })
    .join('');
}
