/** A terminal that keeps what was written. */
export class PaperTerminal {
  columns = 120;
  rows = 40;
  #written = '';

  write(text: string): void {
    this.#written += text;
  }

  /** What was written since the last time, with ESC where that is. */
  take(): string {
    const taken = this.#written.replaceAll('\u001b', 'ESC');
    this.#written = '';
    return taken;
  }
}
