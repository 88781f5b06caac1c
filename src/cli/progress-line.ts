/** A bar that overwrites itself in a terminal, a few times a second; nothing in a pipe. */
export class ProgressLine {
  #shownAt = 0;

  show(done: number, all: number, more: () => string): void {
    if (!process.stderr.isTTY) return;
    const now = performance.now();
    if (done < all && now - this.#shownAt < 100) return;
    this.#shownAt = now;
    const filled = Math.round((done / all) * width);
    process.stderr.write(`\r[${'#'.repeat(filled)}${' '.repeat(width - filled)}] ${done} of ${all}, ${more()}\u001b[K`);
  }

  clear(): void {
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  }
}

const width = 24;
