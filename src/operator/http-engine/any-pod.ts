import { EngineUnreachable } from '../../engines/engine.ts';
import type { Transport } from '../../kube/transport.ts';
import type { ReachablePod } from '../engine-room/engine-source.ts';

/**
 * A way to whichever pod answers for the cluster: the one that did last time, as long as it is there. A question is put to one after the other until
 * one answers; a command goes to one only, because nobody knows whether a silent one has heard it.
 */
export function anyPod(pods: () => readonly ReachablePod[], to: (address: string) => Transport): Transport {
  let preferred: string | undefined;
  return {
    async send(request, signal) {
      const addresses = inOrder(pods(), preferred);
      if (addresses.length === 0)
        throw new EngineUnreachable('no pod has an address yet: the first ones have to come up');
      let failure: unknown;
      for (const address of request.method === 'GET' ? addresses : addresses.slice(0, 1)) {
        try {
          const response = await to(address).send(request, signal);
          preferred = response.status < 500 ? address : after(address, addresses);
          return response;
        } catch (error) {
          failure = error;
          preferred = after(address, addresses);
          if (signal.aborted) break;
        }
      }
      throw failure;
    },
    close() {},
  };
}

/** The preferred one first, then those that are ready, then the rest. */
function inOrder(pods: readonly ReachablePod[], preferred: string | undefined): readonly string[] {
  const reached = pods.flatMap(({ addresses: [address], ready }) =>
    address === undefined ? [] : [{ address, ready }],
  );
  const rank = ({ address, ready }: (typeof reached)[number]) => (address === preferred ? 0 : ready ? 1 : 2);
  return reached
    .toSorted((a, b) => rank(a) - rank(b) || (a.address < b.address ? -1 : 1))
    .map(({ address }) => address);
}

/** The next one, so that one that hangs does not take all the time again. */
const after = (address: string, addresses: readonly string[]): string | undefined =>
  addresses[(addresses.indexOf(address) + 1) % addresses.length];
