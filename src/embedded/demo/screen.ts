import type { StyledLine } from './styled.ts';
import { paint } from './styled.ts';
import type { Size } from './view.ts';

/** What the screen needs of a terminal; `process.stdout` is one. */
export interface Terminal {
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  write(text: string): unknown;
}

const enter = '\u001b[?1049h\u001b[?25l';
const leave = '\u001b[?25h\u001b[?1049l';
const clear = '\u001b[2J';
const place = (row: number): string => `\u001b[${row + 1};1H`;
const restOfLine = '\u001b[K';

/** The second one comes before the message of a crash is written, which would be lost with our page. */
const ends = ['exit', 'uncaughtExceptionMonitor'] as const;

/** A terminal that shows one picture after the other. Only lines that differ are written, so nothing flickers. */
export class Screen {
  readonly #terminal: Terminal;
  readonly #colours: boolean;
  #isOpen = false;
  #shown: readonly string[] = [];
  #size: Size = { columns: 0, rows: 0 };
  /** However the process ends, the terminal is as it was. */
  readonly #leave = () => this.close();

  constructor(terminal: Terminal, colours: boolean) {
    this.#terminal = terminal;
    this.#colours = colours;
  }

  get size(): Size {
    return { columns: this.#terminal.columns ?? 80, rows: this.#terminal.rows ?? 24 };
  }

  /** Takes the whole terminal; what was on it comes back with `close`. */
  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    for (const event of ends) process.once(event, this.#leave);
    this.#terminal.write(enter);
  }

  draw(lines: readonly StyledLine[]): void {
    if (!this.#isOpen) return;
    const painted = lines.map((line) => paint(line, this.#colours));
    const { columns, rows } = this.size;
    const isResized = columns !== this.#size.columns || rows !== this.#size.rows;
    const before = isResized ? [] : this.#shown;
    const height = Math.max(painted.length, before.length);
    const changes = Array.from({ length: height }, (_, row) => {
      const now = painted[row] ?? '';
      return now === (before[row] ?? '') ? '' : `${place(row)}${now}${restOfLine}`;
    }).join('');
    const text = isResized ? `${clear}${changes}` : changes;
    if (text !== '') this.#terminal.write(text);
    this.#shown = painted;
    this.#size = { columns, rows };
  }

  /** Harmless twice. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    for (const event of ends) process.off(event, this.#leave);
    this.#terminal.write(leave);
  }
}
