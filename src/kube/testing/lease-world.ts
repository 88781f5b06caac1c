import { KubeClient } from '../client.ts';
import { LeaderLease } from '../leader-lease.ts';
import type { LeaderLeaseOptions } from '../leader-lease-options.ts';
import { seededRandom } from '../random.ts';
import type { Lease } from '../resources.ts';
import type { Transport } from '../transport.ts';
import { FakeApi } from './fake-api.ts';
import { ProcessClock } from './process-clock.ts';
import { VirtualClock } from './virtual-clock.ts';

/** Where the lease of these tests lives. */
export const leasePath = '/apis/coordination.k8s.io/v1/namespaces/ops/leases/herd';

/** A server, and processes that want to lead. */
export function leaseWorld() {
  const clock = new VirtualClock();
  const api = new FakeApi(clock);
  return {
    clock,
    api,
    spec: () => api.at<Lease>(leasePath)?.spec,
    candidate: (name: string, more?: Partial<LeaderLeaseOptions>) => leaseCandidate(clock, name, api, more),
  };
}

/** A process that wants to lead, what it was heard to say, and how to stall or stop it. */
export function leaseCandidate(
  clock: VirtualClock,
  identity: string,
  network: Pick<Transport, 'send'>,
  more: Partial<LeaderLeaseOptions> = {},
) {
  const process = new ProcessClock(clock);
  const random = seededRandom(identity.length);
  const stop = new AbortController();
  const heard: string[] = [];
  const transport: Transport = {
    send: (request, signal) => process.reach(network.send(request, signal)),
    close() {},
  };
  const lease = new LeaderLease({
    client: new KubeClient({ transport, clock: process, random }),
    clock: process,
    random,
    lease: { namespace: 'ops', name: 'herd' },
    identity,
    onLeading: (leading) => heard.push(leading ? 'leads' : 'ceases'),
    onHolder: (holder) => heard.push(`holder ${holder}`),
    onTrouble: (doing, error) => heard.push(`${doing}: ${String(error)}`),
    ...more,
  });
  const run = (lead = untilTold) => lease.run(stop.signal, lead);
  return { process, transport, lease, stop, heard, run };
}

export function untilTold(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
