import type { Clock } from '../../kube/clock.ts';
import type { Logger } from '../../kube/log.ts';
import type { Random } from '../../kube/random.ts';
import type { EngineSources } from '../../operator/engine-room/engine-source.ts';
import { Desk } from '../../operator/lock/desk.ts';
import { droverUser } from '../../operator/manifests.ts';
import type { EmbeddedCluster } from '../cluster/cluster.ts';
import { runEmbeddedOperator } from '../operated/embedded-operator.ts';

export interface LivingDroverOptions {
  readonly cluster: EmbeddedCluster;
  readonly clock: Clock;
  readonly random: Random;
  readonly engines: EngineSources;
  /** It ended by a defect of its own. */
  readonly onDefect: (error: unknown) => void;
}

interface Life {
  readonly end: AbortController;
  readonly ended: Promise<void>;
  readonly desk: Desk;
}

/** The operator with its webhook, as it ships, and what becomes of it: it can die at any moment, and knows nothing when it lives again. */
export class LivingDrover {
  readonly #options: LivingDroverOptions;
  #life: Life | undefined;

  constructor(options: LivingDroverOptions) {
    this.#options = options;
  }

  /** Where its webhook finds what its controllers decided, and the end of its life; undefined: it is dead, and nobody answers. */
  get living(): { readonly desk: Desk; readonly end: AbortSignal } | undefined {
    const life = this.#life;
    return life === undefined ? undefined : { desk: life.desk, end: life.end.signal };
  }

  live(): void {
    const { cluster, clock, random, engines, onDefect } = this.#options;
    const end = new AbortController();
    const desk = new Desk(clock);
    const transport = cluster.transport(droverUser);
    const ended = runEmbeddedOperator({ transport, clock, random, logger: silent, engines, desk }, end.signal).catch(
      (error: unknown) => {
        if (!end.signal.aborted) onDefect(error);
      },
    );
    this.#life = { end, ended, desk };
  }

  /** From one moment to the next. Resolves when nothing of it is left, for which time must pass. */
  async die(): Promise<void> {
    const life = this.#life;
    this.#life = undefined;
    life?.end.abort(new Error('the operator was killed'));
    await life?.ended;
  }
}

/** What goes wrong is told in events and in the status, where people look. */
const silent: Logger = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent };
