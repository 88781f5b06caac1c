import { KubeClient } from '../../kube/client.ts';
import type { Clock, Millis } from '../../kube/clock.ts';
import { millis, seconds } from '../../kube/clock.ts';
import type { Random } from '../../kube/random.ts';
import { randomInteger } from '../../kube/random.ts';
import type { Transport } from '../../kube/transport.ts';
import type { World } from '../api-server/world.ts';

/** A length of time that chance draws: whole milliseconds, both ends included. */
export interface Spread {
  readonly least: Millis;
  readonly most: Millis;
}

/**
 * What every controller and kubelet of the cluster is given. They read `world.store` directly, which costs nothing, and write through the
 * API server under their own names, so that admission, conflicts and history are real.
 */
export interface ClusterContext {
  readonly world: World;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborted when the cluster stops: nothing may be done any more. */
  readonly signal: AbortSignal;
  /** The way to the API server for one user. It may fail in every way that a network can. */
  readonly connect: (user: string) => Transport;
  /** How long a controller takes to notice a change. */
  readonly lag: Spread;
}

export function draw(random: Random, { least, most }: Spread): Millis {
  return millis(least >= most ? least : randomInteger(random, least, most + 1));
}

/** A client that acts as `user`. The name of the component is what `managedFields` shows. */
export function clientFor(context: ClusterContext, user: string, component: string): KubeClient {
  return new KubeClient({
    transport: context.connect(user),
    clock: context.clock,
    random: context.random,
    userAgent: component,
    rateLimit: { perSecond: 100_000, burst: 100_000 },
    deadline: seconds(10),
    retries: 2,
  });
}

/** The user of a controller of the controller manager, as `--use-service-account-credentials` has it. */
export const controllerUser = (name: string): string => `system:serviceaccount:kube-system:${name}`;
