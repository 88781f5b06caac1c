import type { Clock } from '../../kube/clock.ts';
import { seconds, sleep } from '../../kube/clock.ts';
import type { Audience } from './audience.ts';
import { gistOf } from './gist.ts';
import type { ActInView } from './view-state.ts';

/** As long as a few lines take to read. */
const readingTime = seconds(6);
/** More than a view has room for. */
const terminalLines = 20;

/** Keeps what is told of the present act, for the view to show. */
export class ScreenAudience implements Audience {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #act: ActInView | null = null;
  #terminal: readonly string[] = [];

  /** The clock is the reader's own, not that of the demo. */
  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
  }

  get act(): ActInView | null {
    return this.#act;
  }

  /** The last lines of jane's terminal. */
  get terminal(): readonly string[] {
    return this.#terminal;
  }

  onAct(title: string, number: number, of: number): void {
    this.#terminal = [];
    this.#act = { headline: `Act ${number} of ${of}: ${title}`, lines: [] };
  }

  tell(line: ActInView['lines'][number]): void {
    const { headline, lines } = this.#act ?? { headline: '', lines: [] };
    this.#act = { headline, lines: [...lines, line] };
  }

  onEntry(): void {}

  /** What is printed again and again stands there once, with its latest figures. */
  onKubectl(line: string): void {
    const gist = gistOf(line);
    const at = this.#terminal.findIndex((one) => gistOf(one) === gist);
    this.#terminal = at < 0 ? [...this.#terminal, line].slice(-terminalLines) : this.#terminal.with(at, line);
  }

  onOutcome({ passed, says }: { readonly passed: boolean; readonly says: string }): void {
    if (!passed) this.tell({ kind: 'failure', text: `This act failed: ${says}` });
  }

  /** The story is over, or there is none: the cluster is the person's. */
  over(headline: string, lines: ActInView['lines']): void {
    this.#act = { headline, lines };
    this.#terminal = [];
  }

  /** Who wants to end the demo reads no more. */
  breathe(): Promise<void> {
    return sleep(this.#clock, readingTime, this.#signal).catch(() => {});
  }
}
