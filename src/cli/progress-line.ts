/** Where it is shown: standard error, as far as it matters. */
export interface Screen {
  readonly isTTY?: boolean | undefined;
  /** Of the terminal; undefined: not known. */
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** A bar that overwrites itself in a terminal, a few times a second; nothing in a pipe. */
export class ProgressLine {
  readonly #screen: Screen;
  readonly #now: () => number;
  #shownAt = -Infinity;

  /** `now`: in milliseconds, from any moment on. */
  constructor(screen: Screen = process.stderr, now: () => number = () => performance.now()) {
    this.#screen = screen;
    this.#now = now;
  }

  show(done: number, all: number, more: () => string): void {
    if (this.#screen.isTTY !== true) return;
    const now = this.#now();
    if (done < all && now - this.#shownAt < 100) return;
    this.#shownAt = now;
    const filled = Math.round((done / all) * width);
    const text = `[${'#'.repeat(filled)}${' '.repeat(width - filled)}] ${done} of ${all}, ${more()}`;
    // What does not fit into the line would go on in the next one, and stay there.
    this.#screen.write(`\r${text.slice(0, (this.#screen.columns ?? 80) - 1)}\u001b[K`);
  }

  clear(): void {
    if (this.#screen.isTTY === true) this.#screen.write('\r\u001b[K');
  }
}

const width = 24;
