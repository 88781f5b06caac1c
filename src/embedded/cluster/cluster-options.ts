import type { Clock } from '../../kube/clock.ts';
import { millis } from '../../kube/clock.ts';
import type { Random } from '../../kube/random.ts';
import type { Transport } from '../../kube/transport.ts';
import type { ProgramEnd } from '../api-server/exec.ts';
import type { WebhookCaller } from '../api-server/webhook-call.ts';
import type { Spread } from './context.ts';
import type { PodHooks, PodProcess } from './kubelet/pod-hooks.ts';
import type { NodeOptions } from './node-manifest.ts';
import type { NodeTimings } from './nodes/node-timings.ts';

export interface EmbeddedClusterOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** How many nodes, n1, n2, ... dealt out over the zones; or each by itself. */
  readonly nodes: number | readonly NodeOptions[];
  /** Over how many zones, z1, z2, ... a number of nodes is dealt. @default 1 */
  readonly zones?: number;
  /** Hears what becomes of the processes and disks. */
  readonly hooks?: PodHooks;
  /** Runs a program in a container of a process. @default there are no programs */
  readonly runProgram?: (process: PodProcess, command: readonly string[], signal: AbortSignal) => Promise<ProgramEnd>;
  /** How soon a silent node is taken for dead. @default usualNodeTimings: about 50 s */
  readonly nodeTimings?: NodeTimings;
  /** How long a process takes to start, where no annotation says so. @default 0.5 to 2 s */
  readonly podStart?: Spread;
  /** How long controllers and kubelets take to notice a change. @default 1 to 30 ms, as measured on the real control plane */
  readonly lag?: Spread;
  /**
   * `implied`: leases of live nodes count as renewed without being written, so that a quiet cluster costs nothing. `written`: every renewal is
   * a write, for those who want to see it. @default 'implied'
   */
  readonly leases?: 'implied' | 'written';
  /** Reaches admission webhooks. @default none can be reached */
  readonly callWebhook?: WebhookCaller;
  /** Steps in between the controllers and kubelets and the API server: where faults come in. @default straight through */
  readonly between?: (direct: Transport, user: string) => Transport;
  /** Namespaces that exist from the start. @default default, kube-system, kube-public, kube-node-lease */
  readonly namespaces?: readonly string[];
}

export const usualPodStart: Spread = { least: millis(500), most: millis(2000) };
export const usualLag: Spread = { least: millis(1), most: millis(30) };
