/** Tells when a person, or the system, wants the program to end. */
export interface TheEnd {
  readonly signal: AbortSignal;
  /** Listens no more, and gives the keyboard back. */
  dispose(): void;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const interrupted = 130;
const ctrlC = '\u0003';

/**
 * Hears the signals, and at a terminal the keys q and Ctrl-C: keys that are not read would be written into the middle of the picture, and read
 * so, Ctrl-C is a key like any other.
 */
export function listenForTheEnd(): TheEnd {
  const end = new AbortController();
  const stop = () => {
    // Who asks twice wants no farewell.
    if (end.signal.aborted) process.exit(interrupted);
    end.abort(new Error('told to stop'));
  };
  for (const name of signals) process.on(name, stop);
  const { stdin, stdout } = process;
  const readsKeys = stdin.isTTY && stdout.isTTY;
  const onKey = (key: Buffer) => {
    const text = key.toString('latin1');
    // Keys that were struck at once come together.
    if (text.includes('q') || text.includes(ctrlC)) stop();
  };
  if (readsKeys) stdin.setRawMode(true).on('data', onKey);
  return {
    signal: end.signal,
    dispose() {
      for (const name of signals) process.off(name, stop);
      if (readsKeys) stdin.off('data', onKey).setRawMode(false).pause();
    },
  };
}
