import type { Clock, Millis } from '../kube/clock.ts';
import type { Connection } from '../kube/connection.ts';
import type { Logger } from '../kube/log.ts';
import type { Random } from '../kube/random.ts';
import type { Transport } from '../kube/transport.ts';
import type { EngineSources } from './engine-room/engine-source.ts';

export interface OperatorOptions {
  readonly connection: Connection;
  /** How bytes reach the API server; it is closed in the end. @default over the connection */
  readonly transport?: Transport | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** The namespace that the operator itself lives in: its lease, its certificate and its clusters' failure detectors are there. */
  readonly namespace: string;
  /** The operator's own image, which failure detectors run too. @default that of the names */
  readonly image?: string | undefined;
  /** Unlike that of every other process, also of its own predecessor. */
  readonly identity: string;
  /** After this long without a sign of the leader another replica takes over. Whole seconds. @default 15 s */
  readonly leaseDuration?: Millis | undefined;
  /** So long a request to the API server is tried. @default 30 s */
  readonly requestDeadline?: Millis | undefined;
  /** The pod that this process runs in, where it runs in one: it carries the leader's label. */
  readonly podName?: string | undefined;
  /** Where servers listen. */
  readonly host: string;
  /** For `/healthz`, `/readyz` and `/metrics`. 0 takes any free port. */
  readonly healthPort: number;
  /** For the API server's questions. 0 takes any free port. */
  readonly webhookPort: number;
  /** A folder with `tls.crt` and `tls.key`; without one the operator makes its own certificate. */
  readonly certificateFolder?: string | undefined;
  /** Host names that the self-made certificate is for, besides those of the Service. */
  readonly webhookHosts?: readonly string[] | undefined;
  /** The engines that it can speak to. @default those that ship: see `engines.ts` */
  readonly engines?: EngineSources | undefined;
  /** Taints by which others say that a node is about to go, such as Karpenter's: they ask for everything on it. @default none */
  readonly leavingTaints?: readonly string[] | undefined;
  /** Whether pods that no lock can be on are covered by a webhook that fails closed. @default true */
  readonly coversForeign?: boolean | undefined;
  /** Hears the ports once everything listens. */
  readonly onListening?: (ports: { readonly health: number; readonly webhook: number }) => void;
}
