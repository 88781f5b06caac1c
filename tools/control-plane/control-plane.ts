import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandLineInput, commandLine, files, type Part, parts } from './command-lines.ts';
import { ControlPlaneError } from './errors.ts';
import type { Access } from './kubeconfig.ts';
import { PartProcess, readLogTail } from './part-process.ts';
import type { ProcessIdentity } from './process-identity.ts';
import { isApiReady, waitUntil } from './readiness.ts';

/** The processes of one cluster: started, killed, frozen and started again one by one. */
export class ControlPlane {
  readonly #programs: string;
  readonly #dataFolder: string;
  readonly #input: CommandLineInput;
  readonly #running = new Map<Part, PartProcess>();
  readonly #kept = new Set<Part>();

  constructor(programs: string, dataFolder: string, input: CommandLineInput) {
    this.#programs = programs;
    this.#dataFolder = dataFolder;
    this.#input = input;
  }

  /** The processes that run now. */
  get processes(): ReadonlyMap<Part, ProcessIdentity> {
    const alive = [...this.#running].filter(([, { exit }]) => exit === undefined);
    return new Map(alive.map(([part, { identity }]) => [part, identity]));
  }

  /** Starts a part that does not run. */
  launch(part: Part): void {
    if (this.processes.has(part)) throw new Error(`${part} runs already; kill it first`);
    const args = commandLine(part, this.#input);
    this.#running.set(part, PartProcess.launch({ part, programs: this.#programs, args, dataFolder: this.#dataFolder }));
  }

  /** From now on a part that ends by itself is started again, as whatever runs a control plane would see to, when it is missed or this is called. */
  keep(part: Part): void {
    this.#kept.add(part);
    if (!this.processes.has(part)) this.launch(part);
  }

  /** Ends a part and waits until it is gone; nothing happens when it does not run. From now on nobody misses it. */
  async end(part: Part, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.#running.get(part)?.end(signal);
    this.#running.delete(part);
  }

  /** Freezes a part: its connections stay open and nobody answers. */
  async pause(part: Part): Promise<void> {
    await this.#running.get(part)?.pause();
  }

  async resume(part: Part): Promise<void> {
    await this.#running.get(part)?.resume();
  }

  /** Ends all parts, last started first: an API server that outlives its etcd keeps the port and answers for the next one. */
  async endAll(): Promise<void> {
    for (const part of parts.toReversed()) await this.end(part, 'SIGKILL');
  }

  /** Lets all parts outlive this process. */
  async letGo(): Promise<void> {
    for (const process of this.#running.values()) await process.letGo();
  }

  /** Waits for the certificate that the API server makes for itself; returns the authority that signed it, PEM. */
  async readAuthority(signal: AbortSignal | undefined): Promise<string> {
    let authority = '';
    await waitUntil({
      what: 'the certificate of the API server',
      seconds: 30,
      signal,
      check: async () => {
        this.#insistOnRunning();
        const pem = readFileSync(join(this.#dataFolder, files.servingCertificate), 'utf8');
        const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/g) ?? [];
        // The server's own certificate comes first, its authority last.
        authority = certificates.length < 2 ? '' : (certificates.at(-1) ?? '');
        return authority !== '';
      },
    });
    return authority;
  }

  /** Waits until the API server serves; rejects as soon as a part has died. */
  async waitForApi(access: Access, signal: AbortSignal | undefined): Promise<void> {
    await this.wait('the API server', signal, (either) => isApiReady(access, either));
  }

  /** Waits for something that the running parts will bring about; rejects as soon as one of them has died. */
  async wait(
    what: string,
    signal: AbortSignal | undefined,
    check: (signal: AbortSignal) => Promise<boolean>,
  ): Promise<void> {
    await waitUntil({
      what,
      seconds: 60,
      signal,
      check: async (either) => {
        this.#insistOnRunning();
        return check(either);
      },
    });
  }

  #insistOnRunning(): void {
    for (const { part, exit } of this.#running.values()) {
      if (exit === undefined) continue;
      if (this.#kept.has(part)) {
        this.launch(part);
        continue;
      }
      const log = readLogTail(this.#dataFolder, part, 8);
      throw new ControlPlaneError('PartDied', `${part} ended with ${exit}; the end of its log:\n${log}`);
    }
  }
}
