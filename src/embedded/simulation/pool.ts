import { Worker } from 'node:worker_threads';
import type { Outcome } from './run-seed.ts';
import { runSeed } from './run-seed.ts';
import { scenario } from './scenarios.ts';
import type { Order } from './worker.ts';

/** An outcome, and what was played. */
export interface Played {
  readonly order: Order;
  readonly outcome: Outcome;
}

/**
 * Plays runs on so many threads, and yields what they came to as they end. Whoever stops reading stops the threads. Rejects when a run throws,
 * with the run's name. A single thread is this one: another would read the whole simulation a second time.
 */
export async function* playAll(orders: Iterable<Order>, threads: number): AsyncGenerator<Played> {
  const waiting = orders[Symbol.iterator]();
  const players = threads === 1 ? [here] : Array.from({ length: threads }, () => new Thread());
  const playing = new Map<Player, Promise<{ readonly player: Player; readonly played: Played }>>();
  const next = (player: Player): void => {
    const { value: order, done } = waiting.next();
    if (done === true) playing.delete(player);
    else
      playing.set(
        player,
        player.play(order).then((outcome) => ({ player, played: { order, outcome } })),
      );
  };
  try {
    for (const player of players) next(player);
    while (playing.size > 0) {
      const { player, played } = await Promise.race(playing.values());
      next(player);
      yield played;
    }
  } finally {
    for (const running of playing.values()) running.catch(() => {});
    await Promise.all(players.map((player) => player.stop()));
  }
}

interface Player {
  play(order: Order): Promise<Outcome>;
  stop(): Promise<void>;
}

const broken = ({ seed, scenario: name }: Order, cause: unknown): Error =>
  new Error(`seed ${seed} of ${name} broke the simulation`, { cause });

const here: Player = {
  async play(order) {
    try {
      return await runSeed(scenario(order.scenario, order.seed));
    } catch (error) {
      throw broken(order, error);
    }
  },
  stop: () => Promise.resolve(),
};

class Thread implements Player {
  readonly #worker = new Worker(new URL('./worker.ts', import.meta.url), {
    // A run makes many things that live for a moment: with room for them less is moved about, which saves a fifth of the time.
    resourceLimits: { maxYoungGenerationSizeMb: 384 },
  });

  play(order: Order): Promise<Outcome> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    const onMessage = (outcome: Outcome) => settle(() => resolve(outcome));
    const onError = (error: unknown) => settle(() => reject(broken(order, error)));
    const settle = (how: () => void) => {
      this.#worker.off('message', onMessage).off('error', onError);
      how();
    };
    this.#worker.on('message', onMessage).on('error', onError);
    this.#worker.postMessage(order);
    return promise;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
