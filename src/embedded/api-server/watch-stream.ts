/** Lines that are written as they come and read as they are wanted. What was not read yet comes as one chunk. */
export class WatchStream implements AsyncIterable<Uint8Array> {
  #pending: string[] = [];
  #ended = false;
  #failure: { readonly reason: unknown } | undefined;
  #wake: (() => void) | undefined;
  readonly #onClose: (() => void)[] = [];

  push(line: string): void {
    if (this.#ended) return;
    this.#pending.push(line);
    this.#signal();
  }

  /** No more lines; what is pending is still read. */
  end(): void {
    this.#close();
  }

  /** The reader gets this error instead of what is pending. */
  fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.#close();
  }

  /** Called once, when the stream ends for any reason. */
  onClose(callback: () => void): void {
    if (this.#ended) callback();
    else this.#onClose.push(callback);
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: () => this.#next(),
      return: () => {
        this.#close();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  async #next(): Promise<IteratorResult<Uint8Array>> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure.reason;
      if (this.#pending.length > 0) {
        const chunk = Buffer.from(this.#pending.join(''));
        this.#pending = [];
        return { done: false, value: chunk };
      }
      if (this.#ended) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #close(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const callback of this.#onClose) callback();
    this.#signal();
  }

  #signal(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
