import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../kube/clock.ts';
import { ConfigurationError } from '../../kube/errors.ts';
import type { EmbeddedApiServer } from '../api-server/api-server.ts';
import { serveHttp } from '../api-server/http-front.ts';
import { patient } from './patient.ts';

export interface KubectlDoorOptions {
  /** Real time: callers judge the certificate by it. */
  readonly clock: Clock;
  /** How much faster the server's own time runs. */
  readonly speed: number;
  /** 0: any free one. */
  readonly port: number;
}

/** The way in for people with kubectl. */
export interface KubectlDoor {
  /** The path of the kubeconfig. */
  readonly kubeconfig: string;
  /** Ends all connections, and removes the kubeconfig with its folder. */
  close(): Promise<void>;
}

/** Opens a port of this machine and writes a kubeconfig for it. Rejects with `ConfigurationError` where the system permits neither. */
export async function openKubectlDoor(server: EmbeddedApiServer, options: KubectlDoorOptions): Promise<KubectlDoor> {
  const folder = makeFolder();
  // Whatever ends the process, the folder does not outlive it.
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    const front = await serveHttp(patient(server, options.speed), { clock: options.clock, port: options.port });
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, front.kubeconfig(), { mode: 0o600 });
    return {
      kubeconfig,
      async close() {
        await front.close();
        remove();
        process.off('exit', remove);
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

function makeFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'drover-demo-'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigurationError(
      `the kubeconfig needs a folder in ${tmpdir()}, and none can be made: ${why}; set TMPDIR to one that can be written`,
      error,
    );
  }
}
