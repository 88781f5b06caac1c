import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type ApiAnswer, type ApiRequestOptions, requestApi } from './api-request.ts';
import { ensureControlPlane } from './build.ts';
import { adminUser, type Tokens, writeCredentials, writePartKubeconfigs } from './cluster-credentials.ts';
import { buildNode, dealNodes, type NodeOptions, storageClasses } from './cluster-objects.ts';
import { type ClusterOptions, type ResolvedOptions, resolveOptions } from './cluster-options.ts';
import { kubeletLabel, type Part, parts } from './command-lines.ts';
import { ControlPlane } from './control-plane.ts';
import { createDataFolder, sweepDataFolders } from './data-folder.ts';
import { ControlPlaneError } from './errors.ts';
import { pickFreePort } from './free-port.ts';
import { type Access, encodePem, writeKubeconfig } from './kubeconfig.ts';
import { programsIn, readLogTail } from './part-process.ts';
import type { ProcessIdentity } from './process-identity.ts';
import { areNodesReady, hasDefaultServiceAccount } from './readiness.ts';
import { type KubectlOptions, runKubectl } from './run-kubectl.ts';
import type { ProgramResult } from './run-program.ts';

export { quickNodeTimings, usualNodeTimings } from '../../src/embedded/cluster/nodes/node-timings.ts';
export type { ApiAnswer, ApiRequestOptions } from './api-request.ts';
export type { NodeOptions } from './cluster-objects.ts';
export type { ClusterOptions } from './cluster-options.ts';
export type { Part } from './command-lines.ts';
export type { KubectlOptions } from './run-kubectl.ts';
export type { ProgramResult } from './run-program.ts';

const stagesFolder = join(import.meta.dirname, 'stages');
const kubeletConfig = join(import.meta.dirname, 'kubelet', 'exec.yaml');

/**
 * Starts a Kubernetes of its own: own ports, own data folder, everything on 127.0.0.1.
 *
 * Resolves when pods can be created: the API server is ready, the nodes are Ready and the default service account is there. Its processes
 * end with `stop()`, and also when this process ends in any way. The first call on a machine builds the binary, which takes minutes.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const resolved = resolveOptions(options);
  const programs = await ensureControlPlane({ progress: options.progress, signal: options.signal });
  sweepDataFolders();
  for (let attempt = 1; ; attempt++) {
    const kubeletPort = resolved.exec ? await pickFreePort() : undefined;
    const seed = createSeed(programs, { port: await pickFreePort(), kubeletPort }, resolved);
    try {
      return await bringUp(seed, resolved, options.signal);
    } catch (error) {
      await seed.controlPlane.endAll();
      rmSync(seed.dataFolder, { recursive: true, force: true });
      if (attempt === 3 || !isPortTaken(error)) throw error;
    }
  }
}

/** What exists before the first process runs. */
interface Seed {
  readonly programs: string;
  readonly dataFolder: string;
  readonly port: number;
  readonly kubeletPort: number | undefined;
  readonly tokens: Tokens;
  readonly controlPlane: ControlPlane;
}

function createSeed(
  programs: string,
  { port, kubeletPort }: Pick<Seed, 'port' | 'kubeletPort'>,
  options: ResolvedOptions,
): Seed {
  const dataFolder = createDataFolder();
  const tokens = writeCredentials(dataFolder, options.users);
  const controlPlane = new ControlPlane(programs, dataFolder, {
    port,
    serviceAccounts: !options.without.has('kube-controller-manager'),
    nodeTimings: options.nodeTimings,
    stages: readdirSync(stagesFolder).map((name) => join(stagesFolder, name)),
    kubelet: kubeletPort === undefined ? null : { port: kubeletPort, config: kubeletConfig },
    extraFlags: options.extraFlags,
  });
  return { programs, dataFolder, port, kubeletPort, tokens, controlPlane };
}

async function bringUp(seed: Seed, options: ResolvedOptions, signal: AbortSignal | undefined): Promise<Cluster> {
  const { controlPlane, dataFolder, port, tokens } = seed;
  controlPlane.launch('etcd');
  controlPlane.launch('kube-apiserver');
  const authority = await controlPlane.readAuthority(signal);
  const access = { url: `https://127.0.0.1:${port}`, authority, user: adminUser, token: tokens.get(adminUser) ?? '' };
  writePartKubeconfigs(dataFolder, access, tokens);
  await controlPlane.waitForApi(access, signal);

  const cluster = new Cluster(seed, access, options);
  for (const part of parts.slice(2)) if (!options.without.has(part)) controlPlane.launch(part);
  for (const body of storageClasses) await cluster.create('/apis/storage.k8s.io/v1/storageclasses', body, signal);
  await cluster.addNodes(dealNodes(options.nodes, options.zones), signal);
  if (!options.without.has('kube-controller-manager')) {
    await controlPlane.wait('the default service account', signal, (either) =>
      hasDefaultServiceAccount(access, either),
    );
  }
  return cluster;
}

function isPortTaken(error: unknown): boolean {
  return (
    error instanceof ControlPlaneError && error.code === 'PartDied' && error.message.includes('address already in use')
  );
}

/** Whom a kubeconfig is for: a user from the options, or a service account that exists. */
export type Identity =
  | { readonly user: string }
  | { readonly namespace: string; readonly serviceAccount: string; readonly seconds?: number };

const tokenSchema = z.object({ status: z.object({ token: z.string() }) });

/** A running Kubernetes. */
export class Cluster {
  readonly url: string;
  /** The authority of the API server, base64 of PEM, as a kubeconfig has it. */
  readonly caData: string;
  readonly adminToken: string;
  /** Path of the admin's kubeconfig. */
  readonly kubeconfig: string;
  /** Where etcd keeps its data and every part its log. Removed by `stop()`. */
  readonly dataFolder: string;
  readonly #seed: Seed;
  readonly #access: Access;
  readonly #options: ResolvedOptions;
  #nodesMade = 0;

  /** Use `startCluster()`. */
  constructor(seed: Seed, access: Access, options: ResolvedOptions) {
    this.#seed = seed;
    this.#access = access;
    this.#options = options;
    this.url = access.url;
    this.caData = encodePem(access.authority);
    this.adminToken = access.token;
    this.dataFolder = seed.dataFolder;
    this.kubeconfig = join(seed.dataFolder, 'admin.kubeconfig');
    writeKubeconfig(this.kubeconfig, access);
  }

  /** The processes that run now, by part. */
  get processes(): ReadonlyMap<Part, ProcessIdentity> {
    return this.#seed.controlPlane.processes;
  }

  /** Runs the kubectl of the cluster's own version, as the admin, both unless told. Resolves whatever its exit code. */
  kubectl(args: readonly string[], options: KubectlOptions = {}): Promise<ProgramResult> {
    const own = { kubeconfig: this.kubeconfig, cache: join(this.dataFolder, 'kubectl-cache') };
    return runKubectl(join(this.#seed.programs, 'kubectl'), args, own, options);
  }

  /** Applies a manifest; rejects with kubectl's words when it is refused. */
  async apply(manifest: string | object): Promise<void> {
    const input = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
    const { code, stderr } = await this.kubectl(['apply', '-f', '-'], { input });
    if (code !== 0) throw new ControlPlaneError('CommandFailed', `kubectl apply: ${stderr.trim()}`);
  }

  /** One request as the admin: quicker than kubectl where a test asks often. Resolves whatever the status. */
  request(method: string, path: string, options: ApiRequestOptions = {}): Promise<ApiAnswer> {
    return requestApi(this.#access, method, path, options);
  }

  /** What is at a path: where something is asked for often, a program like kubectl costs more than the answer. */
  async read(path: string) {
    return JSON.parse(JSON.stringify((await this.request('GET', path)).body));
  }

  /** Puts a script where `exec` finds it by this name, in every container of every pod; the path is returned. Needs the option `exec`. */
  addProgram(name: string, script: string): string {
    const path = join(programsIn(this.dataFolder), name);
    mkdirSync(programsIn(this.dataFolder), { recursive: true });
    writeFileSync(path, script, { mode: 0o755 });
    return path;
  }

  /** Creates an object in a collection; rejects when it is refused. */
  async create(collection: string, body: object, signal?: AbortSignal): Promise<void> {
    const answer = await this.request('POST', collection, { body, signal });
    if (answer.status >= 300) {
      throw new ControlPlaneError(
        'CommandFailed',
        `POST ${collection}: ${answer.status} ${JSON.stringify(answer.body)}`,
      );
    }
  }

  /** Adds nodes and waits until they are Ready. */
  async addNodes(nodes: readonly NodeOptions[], signal?: AbortSignal): Promise<void> {
    for (const node of nodes)
      await this.create('/api/v1/nodes', buildNode(node, this.#nodesMade++, this.#seed.kubeletPort), signal);
    const { without } = this.#options;
    if (nodes.length === 0 || without.has('kwok')) return;
    const names = nodes.map(({ name }) => name);
    const taintsMatter = !without.has('kube-controller-manager');
    await this.#seed.controlPlane.wait('the nodes to be Ready', signal, (either) =>
      areNodesReady(this.#access, names, taintsMatter, either),
    );
  }

  /** Kills the kubelet of a node (its lease runs out, its pods freeze) or brings it back. */
  async setKubelet(node: string, state: 'alive' | 'dead'): Promise<void> {
    const body = { metadata: { labels: { [kubeletLabel]: state } } };
    await this.request('PATCH', `/api/v1/nodes/${node}`, { body, contentType: 'application/merge-patch+json' });
  }

  /** Writes a kubeconfig for somebody and returns its path. A service account's token holds for an hour unless told. */
  async kubeconfigFor(identity: Identity): Promise<string> {
    const user = 'user' in identity ? identity.user : `${identity.namespace}-${identity.serviceAccount}`;
    const token = 'user' in identity ? this.#tokenOf(identity.user) : await this.serviceAccountToken(identity);
    const folder = join(this.dataFolder, 'kubeconfigs');
    mkdirSync(folder, { recursive: true });
    const path = join(folder, encodeURIComponent(user));
    writeKubeconfig(path, { ...this.#access, user, token });
    return path;
  }

  /** A fresh token for a service account, from the TokenRequest API. */
  async serviceAccountToken(account: Exclude<Identity, { user: string }>): Promise<string> {
    const path = `/api/v1/namespaces/${account.namespace}/serviceaccounts/${account.serviceAccount}/token`;
    const body = { spec: { expirationSeconds: account.seconds ?? 3600 } };
    const answer = await this.request('POST', path, { body });
    if (answer.status >= 300) {
      const name = `${account.namespace}/${account.serviceAccount}`;
      throw new ControlPlaneError(
        'CommandFailed',
        `no token for service account ${name} (${answer.status}); create it first`,
      );
    }
    return tokenSchema.parse(answer.body).status.token;
  }

  /** Kills a part with SIGKILL and waits until it is gone. */
  async kill(part: Part): Promise<void> {
    await this.#seed.controlPlane.end(part, 'SIGKILL');
  }

  /** Starts a part that was killed, on the same port and data, and waits until the API server serves. */
  async start(part: Part): Promise<void> {
    this.#seed.controlPlane.launch(part);
    await this.#seed.controlPlane.waitForApi(this.#access, undefined);
  }

  /** Starts a part again that ended by itself, and from now on whenever it is missed; one that runs is left alone. */
  keep(part: Part): void {
    this.#seed.controlPlane.keep(part);
  }

  /** Ends a part with SIGTERM, as an upgrade would, or after 3 s with SIGKILL, and starts it again. */
  async restart(part: Part): Promise<void> {
    await this.#seed.controlPlane.end(part, 'SIGTERM');
    await this.start(part);
  }

  /** Freezes a part: its connections stay open and nobody answers. */
  async pause(part: Part): Promise<void> {
    await this.#seed.controlPlane.pause(part);
  }

  async resume(part: Part): Promise<void> {
    await this.#seed.controlPlane.resume(part);
  }

  /** The last lines of a part's log. */
  log(part: Part, lines = 50): string {
    return readLogTail(this.dataFolder, part, lines);
  }

  /** Lets the cluster outlive this process. */
  async letGo(): Promise<void> {
    await this.#seed.controlPlane.letGo();
  }

  /** Ends every process, waits until all are gone, and removes the data folder. Calling it again does nothing. */
  async stop(): Promise<void> {
    await this.#seed.controlPlane.endAll();
    rmSync(this.dataFolder, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #tokenOf(user: string): string {
    const token = this.#seed.tokens.get(user);
    if (token !== undefined) return token;
    throw new ControlPlaneError(
      'InvalidOption',
      `the cluster has no user ${user}; name it in startCluster({ users: [...] })`,
    );
  }
}
