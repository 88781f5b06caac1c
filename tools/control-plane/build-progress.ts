/** How far a build is. */
export interface BuildState {
  /** Packages that had to be compiled when it began. */
  readonly packages: number;
  readonly compiled: number;
  readonly elapsedSeconds: number;
  /** Processors that compile. */
  readonly cores: number;
}

// Measured: 2784 packages took 290 s on two cores; linking 8 s more.
const coreSecondsPerPackage = 0.21;
const linkSeconds = 8;

/** Seconds until the build is done. Trusts the measured rate at first and its own more with every package. */
export function estimateRemaining({ packages, compiled, elapsedSeconds, cores }: BuildState): number {
  const left = Math.max(0, packages - compiled);
  const prior = coreSecondsPerPackage / Math.max(1, cores);
  const trust = 1500; // packages: the small ones come first, so the build's own rate is too good for a long time
  const rate = (prior * trust + elapsedSeconds) / (trust + compiled);
  return Math.round(left * rate + linkSeconds);
}

/** One line for a person. */
export function describeBuild(state: BuildState): string {
  const { compiled, packages, elapsedSeconds } = state;
  const percent = packages === 0 ? 100 : Math.min(100, Math.floor((100 * compiled) / packages));
  const what = compiled < packages ? `${compiled} of ${packages} packages (${percent} %)` : 'linking';
  return `control plane: ${what}, ${duration(elapsedSeconds)} so far, about ${duration(estimateRemaining(state))} left`;
}

/** `45 s`, `3 min 20 s`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  return whole % 60 === 0 ? `${whole / 60} min` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** A message, or the present state of something that goes on, which the next one replaces. */
export interface Progress {
  readonly text: string;
  readonly lasting: boolean;
}

/** The part of a stream that a printer needs. */
export interface Screen {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** Prints messages as they come; states in one living line on a terminal, and elsewhere a line every 15 s. */
export function createPrinter(screen: Screen, now: () => number = Date.now): (progress: Progress) => void {
  let liveLine = false;
  let lastPrinted = -Infinity;
  return ({ text, lasting }) => {
    if (screen.isTTY === true) {
      screen.write(`${liveLine ? '\r\u001b[K' : ''}${text}${lasting ? '\n' : ''}`);
      liveLine = !lasting;
    } else if (lasting || now() - lastPrinted >= 15_000) {
      screen.write(`${text}\n`);
      lastPrinted = now();
    }
  };
}
