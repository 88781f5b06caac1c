import type { Clock } from '../../kube/clock.ts';
import { seconds, sleep } from '../../kube/clock.ts';
import type { Transport } from '../../kube/transport.ts';

/** More requests than any operator has reason to send before time moves: a bring-up needs a few hundred. */
const most = 2000;

/**
 * A way to the API server that notices an operator that runs in circles. Requests take no time in a simulation, so such a one would never let
 * it move on: from `most` requests at one moment on, each takes a second.
 */
export function oneMoment(direct: Transport, clock: Clock, onCircles: (requests: number) => void): Transport {
  let moment = clock.monotonic();
  let requests = 0;
  return {
    close: () => direct.close(),
    async send(request, signal) {
      const now = clock.monotonic();
      if (now !== moment) requests = 0;
      moment = now;
      requests += 1;
      if (requests > most) {
        onCircles(requests);
        await sleep(clock, seconds(1), signal);
      }
      return direct.send(request, signal);
    },
  };
}
