import { KubeClient } from '../../kube/client.ts';
import type { EngineSources } from '../../operator/engine-room/engine-source.ts';
import { Desk } from '../../operator/lock/desk.ts';
import type { Living } from '../operated/embedded-webhook.ts';
import { liveOperator } from './live-operator.ts';
import type { Life, Surroundings } from './subject.ts';

/** The lives of an operator whose controllers and webhook are its own: one at a time, and the webhook is that of the one that lives. */
export class Lives {
  #living: Living | undefined;

  readonly living = (): Living | undefined => this.#living;

  /** The operator begins, knowing nothing but how to reach its engines. */
  begin(surroundings: Surroundings, engines: (client: KubeClient) => EngineSources, end: AbortSignal): Life {
    const { transport, clock, random } = surroundings;
    const desk = new Desk(clock);
    const living = { desk, end };
    this.#living = living;
    end.addEventListener('abort', () => {
      if (this.#living === living) this.#living = undefined;
    });
    const client = new KubeClient({ transport, clock, random, rateLimit: { perSecond: 1e6, burst: 1e6 } });
    return liveOperator(surroundings, engines(client), desk, end);
  }
}
