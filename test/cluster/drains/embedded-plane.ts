import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HttpFront } from '../../../src/embedded/api-server/http-front.ts';
import { serveHttp } from '../../../src/embedded/api-server/http-front.ts';
import { httpsWebhookCaller } from '../../../src/embedded/api-server/https-webhook-caller.ts';
import { EmbeddedCluster } from '../../../src/embedded/cluster/cluster.ts';
import { realRandom } from '../../../src/kube/random.ts';
import { realClock } from '../../../src/kube/real-clock.ts';
import { names } from '../../../src/operator/names.ts';
import type { ApiAnswer, ApiRequestOptions } from '../../../tools/control-plane/api-request.ts';
import { requestApi } from '../../../tools/control-plane/api-request.ts';
import { ensureControlPlane } from '../../../tools/control-plane/build.ts';
import type {
  Cluster,
  Identity,
  KubectlOptions,
  NodeOptions,
  ProgramResult,
} from '../../../tools/control-plane/cluster.ts';
import type { Access } from '../../../tools/control-plane/kubeconfig.ts';
import { writeKubeconfig } from '../../../tools/control-plane/kubeconfig.ts';
import { runKubectl } from '../../../tools/control-plane/run-kubectl.ts';

/** As much of a cluster as the stories of drains need, whichever it is. */
export type DrainPlane = Pick<
  Cluster,
  'kubeconfig' | 'kubectl' | 'apply' | 'request' | 'read' | 'addNodes' | 'addProgram' | 'kubeconfigFor' | 'stop'
> &
  Partial<Pick<Cluster, 'restart'>>;

/**
 * The cluster in memory in the place of the real control plane, behind a port: kubectl and the operator's process meet it as they meet any
 * Kubernetes, and it asks the operator's webhook over TLS. It knows no rights: whoever says who he is may do everything.
 */
export class EmbeddedPlane implements DrainPlane {
  readonly kubeconfig: string;
  readonly #cluster: EmbeddedCluster;
  readonly #front: HttpFront;
  readonly #programs: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'drover-embedded-'));
  readonly #access: Access;

  private constructor(cluster: EmbeddedCluster, front: HttpFront, programs: string) {
    this.#cluster = cluster;
    this.#front = front;
    this.#programs = programs;
    const user = 'system:admin';
    this.#access = { url: front.url, authority: front.authority ?? '', user, token: user };
    this.kubeconfig = join(this.#folder, 'admin.kubeconfig');
    writeKubeconfig(this.kubeconfig, this.#access);
  }

  static async start(): Promise<EmbeddedPlane> {
    const cluster = new EmbeddedCluster({
      clock: realClock,
      random: realRandom,
      nodes: 0,
      namespaces: ['default', 'kube-system', 'kube-public', 'kube-node-lease', names.namespace],
      callWebhook: httpsWebhookCaller(),
    });
    await cluster.ready();
    const front = await serveHttp(cluster.server, { clock: realClock });
    return new EmbeddedPlane(cluster, front, await ensureControlPlane());
  }

  kubectl(args: readonly string[], options: KubectlOptions = {}): Promise<ProgramResult> {
    const own = { kubeconfig: this.kubeconfig, cache: join(this.#folder, 'kubectl-cache') };
    return runKubectl(join(this.#programs, 'kubectl'), args, own, options);
  }

  async apply(manifest: string | object): Promise<void> {
    const input = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
    const { code, stderr } = await this.kubectl(['apply', '-f', '-'], { input });
    if (code !== 0) throw new Error(`kubectl apply: ${stderr.trim()}`);
  }

  request(method: string, path: string, options: ApiRequestOptions = {}): Promise<ApiAnswer> {
    return requestApi(this.#access, method, path, options);
  }

  async read(path: string) {
    return JSON.parse(JSON.stringify((await this.request('GET', path)).body));
  }

  async addNodes(nodes: readonly NodeOptions[]): Promise<void> {
    for (const { name, zone, labels = {} } of nodes) await this.#cluster.addNode({ name, zone, labels });
  }

  /** For the operator to run: nothing runs in these pods. */
  addProgram(program: string, script: string): string {
    const path = join(this.#folder, program);
    writeFileSync(path, script, { mode: 0o755 });
    return path;
  }

  async kubeconfigFor(identity: Identity): Promise<string> {
    const user =
      'user' in identity ? identity.user : `system:serviceaccount:${identity.namespace}:${identity.serviceAccount}`;
    const path = join(this.#folder, encodeURIComponent(user));
    writeKubeconfig(path, { ...this.#access, user, token: user });
    return path;
  }

  async stop(): Promise<void> {
    await this.#front.close();
    await this.#cluster.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
