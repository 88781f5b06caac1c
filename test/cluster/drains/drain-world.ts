import { globSync, readFileSync } from 'node:fs';
import type { KubeObject } from '../../../src/kube/object.ts';
import { webhookConfiguration } from '../../../src/operator/manifests.ts';
import { statefulClusters } from '../../../src/operator/stateful-cluster/view.ts';
import { ensureOlderKubectl } from '../../../tools/control-plane/build.ts';
import type { Cluster, Identity, ProgramResult } from '../../../tools/control-plane/cluster.ts';
import { startCluster } from '../../../tools/control-plane/cluster.ts';
import { pickFreePort } from '../../../tools/control-plane/free-port.ts';
import { OperatorProcess } from '../operator-process.ts';
import { QuickClock } from '../quick-clock.ts';
import { adminOf, wholeObjects } from '../whole-objects.ts';
import type { DrainPlane } from './embedded-plane.ts';
import { EmbeddedPlane } from './embedded-plane.ts';
import type { StoreShape } from './store-on-pods.ts';
import { StoreOnPods } from './store-on-pods.ts';

/** That a pod was let go. */
interface GrantRow {
  readonly uid: string;
  readonly askedBy: string;
  readonly grantedAt: string;
  readonly goneAt: string | null;
  /** What let it go in spite of the rules; null or absent: nothing had to. */
  readonly exemption?: { readonly by: string; readonly reason: string } | null;
}

/** What a StatefulCluster says of itself, as far as drains go. */
export interface DrainStatus {
  readonly counts?: { readonly desired: number; readonly available: number; readonly leaving: number };
  readonly grants?: readonly GrantRow[];
  readonly asks?: readonly {
    readonly uid: string;
    readonly by: string;
    readonly times: number;
    /** Absent: it was not let go. */
    readonly letGoAt?: string;
  }[];
  readonly processGroups?: readonly { readonly processGroupID: string; readonly evacuationTimestamp?: string | null }[];
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
    readonly message: string;
  }[];
}

/** A pod of a store, as far as a drain is about it. */
export interface StorePod {
  readonly name: string;
  readonly uid: string;
  readonly node: string;
  readonly group: string;
  readonly open: boolean;
  readonly ready: boolean;
}

interface PodObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** How a store is, and the StatefulCluster that it runs in. */
export interface StoreGiven extends Partial<StoreShape> {
  readonly role?: object;
  readonly spec?: object;
}

/** A `kubectl drain` that goes on. */
export interface DrainUnderWay {
  /** What it has complained of so far. */
  readonly said: () => string;
  readonly end: Promise<ProgramResult>;
}

const people = ['jane', 'joe', 'jim'];

/** What operators and stores take for this many seconds passes in one, unless told; kubectl and Kubernetes take their own time. */
const usualTimes = 4;

/** So long a pod may take to go after its time is over, in milliseconds. */
const patienceWithKubelets = 5000;

/** How the operators reach the API server, and it them. */
interface Connection {
  readonly kubeconfig: string;
  readonly port: number;
  readonly leavingTaints: readonly string[];
  readonly times: number;
}

/**
 * A control plane with everything that Drover installs, the real one unless told, an operator beside it whose webhook the API server reaches, and stores with data that
 * can be lost, each in a namespace and on nodes of its own, so that one story does not meet another.
 */
export class DrainWorld<Plane extends DrainPlane = Cluster> {
  readonly cluster: Plane;
  /** By which operators and stores live. */
  readonly clock: QuickClock;
  readonly #kubeconfig: string;
  readonly #stores: StoreOnPods[] = [];
  readonly #operators: OperatorProcess[] = [];
  readonly #port: number;
  readonly #leavingTaints: readonly string[];
  /** Path of the kubectl that people drain with; undefined: the one of the cluster's version. */
  readonly drainsWith: string | undefined;
  #stopped = false;

  private constructor(cluster: Plane, given: Pick<DrainWorld, 'drainsWith'> & Connection) {
    this.cluster = cluster;
    this.clock = new QuickClock(given.times);
    this.#kubeconfig = given.kubeconfig;
    this.#port = given.port;
    this.#leavingTaints = given.leavingTaints;
    this.drainsWith = given.drainsWith;
  }

  /**
   * `exec`: programs can be run in its pods. `older`: people drain with an older kubectl, as they do in all stories in `npm run test:long`.
   * `leavingTaints`: as the operators are told them by --leaving-taint. `times`: how quick its clock is.
   */
  static async start({
    exec = false,
    older = process.env['DROVER_OLDER_KUBECTL'] === 'yes',
    leavingTaints = [],
    times = usualTimes,
  }: {
    readonly exec?: boolean;
    readonly older?: boolean;
    readonly leavingTaints?: readonly string[];
    readonly times?: number;
  } = {}): Promise<DrainWorld> {
    const users = people.map((name) => ({ name, groups: ['system:masters'] }));
    const cluster = await startCluster({ nodes: 0, users, exec });
    for (const file of ['deploy/rbac.yaml', 'deploy/webhook.yaml']) await cluster.apply(readFileSync(file, 'utf8'));
    const drainsWith = older ? await ensureOlderKubectl() : undefined;
    return DrainWorld.#furnish(cluster, { drainsWith, leavingTaints, times });
  }

  /** The same in memory, where there are no rights and no admission policies to install. */
  static async startEmbedded({ times = usualTimes } = {}): Promise<DrainWorld<DrainPlane>> {
    const cluster = await EmbeddedPlane.start();
    const meta = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' };
    await cluster.apply({ ...meta, ...webhookConfiguration() });
    return DrainWorld.#furnish(cluster, { drainsWith: undefined, leavingTaints: [], times });
  }

  static async #furnish<Plane extends DrainPlane>(
    cluster: Plane,
    given: Pick<DrainWorld, 'drainsWith'> & Pick<Connection, 'leavingTaints' | 'times'>,
  ): Promise<DrainWorld<Plane>> {
    for (const file of globSync('deploy/crds/*.yaml')) await cluster.apply(readFileSync(file, 'utf8'));
    await cluster.kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
    const account = { namespace: 'drover', serviceAccount: 'drover', seconds: 7200 };
    const connection = { kubeconfig: await cluster.kubeconfigFor(account), port: await pickFreePort() };
    const world = new DrainWorld(cluster, { ...connection, ...given });
    await world.#askAt('replace', '', { url: urlAt(world.#port) });
    return world;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const operator of this.#operators) operator.kill('SIGKILL');
    for (const store of this.#stores) await store.stop();
    await this.cluster.stop();
  }

  /** Where the API server asks from now on: the port of the operators, unless told otherwise. */
  askAt(port: number = this.#port): Promise<void> {
    return this.#askAt('replace', '/url', urlAt(port));
  }

  async #askAt(op: string, field: string, value: unknown): Promise<void> {
    const patch = JSON.stringify([{ op, path: `/webhooks/0/clientConfig${field}`, value }]);
    await this.cluster.kubectl(['patch', 'validatingwebhookconfiguration', 'drover', '--type=json', '-p', patch]);
  }

  /** Another operator, which listens where the API server asks, unless told otherwise. */
  operator(port: number = this.#port): OperatorProcess {
    const operator = OperatorProcess.quick(this.clock, this.#kubeconfig, port, this.#leavingTaints);
    this.#operators.push(operator);
    return operator;
  }

  /** An operator that is started again whenever it ends, as its Deployment would see to. Gives the one that runs now. */
  keptOperator(port: number = this.#port): () => OperatorProcess {
    let current = this.operator(port);
    const follow = (operator: OperatorProcess): void => {
      void operator.exitCode().then(() => {
        if (this.#stopped) return;
        current = this.operator(port);
        follow(current);
      });
    };
    follow(current);
    return () => current;
  }

  /** It is gone without a word. Nobody waits for its lease to run out, which tests have no time for. */
  async kill(operator: OperatorProcess): Promise<void> {
    operator.kill('SIGKILL');
    await operator.exitCode();
    await this.cluster.kubectl(['delete', 'lease', '-n', 'drover', '--all']);
  }

  /** A store of a name, in the namespace of that name and on nodes that begin with it, up and with data in it. */
  async store(of: string, { count = 3, role, spec, ...shape }: StoreGiven = {}): Promise<StoreOnPods> {
    const store = await StoreOnPods.start(this.cluster, this.clock, of, { count, ...shape });
    this.#stores.push(store);
    const names = Array.from({ length: count + 1 }, (_, index) => `${of}-${index + 1}`);
    await this.cluster.addNodes(names.map((name) => ({ name, zone: name, labels: { of } })));
    await this.cluster.kubectl(['create', 'namespace', of]);
    const containers = [{ name: 'store', image: 'store:1' }];
    const template = { spec: { nodeSelector: { of }, terminationGracePeriodSeconds: 1, containers } };
    const engine = { type: 'http', http: { url: store.url } };
    await this.cluster.apply({
      apiVersion: 'drover.dev/v1alpha1',
      kind: 'StatefulCluster',
      metadata: { name: of, namespace: of },
      spec: { engine, roles: [{ name: 'shard', count, template, ...role }], ...spec },
    });
    await this.until(`${of} is up`, async () => store.filled && (await this.isWhole(of)));
    return store;
  }

  /** An eviction by somebody, as kubectl sends it, or as older clients do; what is printed. */
  async evict(of: string, pod: string, by: string | Identity, apiVersion = 'policy/v1'): Promise<ProgramResult> {
    const kubeconfig = await this.cluster.kubeconfigFor(typeof by === 'string' ? { user: by } : by);
    const metadata = { name: pod, namespace: of };
    const input = JSON.stringify({ apiVersion, kind: 'Eviction', metadata });
    const path = `/api/v1/namespaces/${of}/pods/${pod}/eviction`;
    return this.cluster.kubectl(['create', '--raw', path, '-f', '-'], { input, kubeconfig });
  }

  /** Resolves with the grant at the very moment when a pod of the store is let go: it may be over in less time than a look takes. */
  async granted(of: string, uid: string): Promise<GrantRow> {
    const [end, { promise, resolve }] = [new AbortController(), Promise.withResolvers<GrantRow>()];
    const look = ({ status }: KubeObject & { readonly status?: DrainStatus }) => {
      const grant = status?.grants?.find((one) => one.uid === uid);
      if (grant !== undefined) resolve(grant);
    };
    const clusters = wholeObjects<Parameters<typeof look>[0]>(await adminOf(this.cluster), statefulClusters, {
      fieldSelector: `metadata.name=${of}`,
    });
    clusters.cache.subscribe({ added: look, updated: look });
    const watching = clusters.run(end.signal);
    const grant = await promise;
    end.abort();
    await watching;
    return grant;
  }

  /** Every process group is there and available, and none leaves. */
  async isWhole(of: string): Promise<boolean> {
    const { counts } = await this.status(of);
    return counts !== undefined && counts.available === counts.desired && counts.leaving === 0;
  }

  async status(of: string): Promise<DrainStatus> {
    return (await this.cluster.read(`/apis/drover.dev/v1alpha1/namespaces/${of}/statefulclusters/${of}`)).status ?? {};
  }

  async pods(of: string): Promise<readonly StorePod[]> {
    const { items = [] }: { items?: readonly PodObject[] } = await this.cluster.read(`/api/v1/namespaces/${of}/pods`);
    return items.map(({ metadata: { name, uid, labels, deletionTimestamp }, spec, status }) => ({
      name,
      uid,
      node: spec.nodeName ?? '',
      group: labels['drover.dev/process-group'] ?? '',
      open: labels['drover.dev/guard'] === 'open',
      ready:
        deletionTimestamp === undefined &&
        status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true,
    }));
  }

  /**
   * What kubelets do by themselves: they go on with the deletion of a pod however often it was refused. kwok takes the 403 of an API server that has not
   * read its roles yet for an answer, and looks at the pod again only when it changes.
   */
  async nudgeKubelets(of: string): Promise<void> {
    const path = `/api/v1/namespaces/${of}/pods`;
    const { items = [] }: { items?: readonly PodObject[] } = await this.cluster.read(path);
    const body = { metadata: { annotations: { 'test.drover.dev/nudged': new Date().toISOString() } } };
    const late = new Date(Date.now() - patienceWithKubelets).toISOString();
    for (const { metadata } of items)
      if ((metadata.deletionTimestamp ?? late) < late)
        await this.cluster.request('PATCH', `${path}/${metadata.name}`, {
          body,
          contentType: 'application/merge-patch+json',
        });
  }

  /** `kubectl drain`, the real one. */
  drain(nodes: string | readonly string[], by: string, ...flags: readonly string[]): Promise<ProgramResult> {
    return this.beginDrain(nodes, by, ...flags).end;
  }

  /** The same, for those who listen to what it says meanwhile. */
  beginDrain(nodes: string | readonly string[], by: string, ...flags: readonly string[]): DrainUnderWay {
    const args = ['drain', ...[nodes].flat(), '--ignore-daemonsets', '--delete-emptydir-data', ...flags];
    let said = '';
    const onStderr = (text: string) => {
      said += text;
    };
    const kubeconfig = this.cluster.kubeconfigFor({ user: by });
    const end = kubeconfig.then((path) =>
      this.cluster.kubectl(args, { kubeconfig: path, program: this.drainsWith, onStderr }),
    );
    return { said: () => said, end };
  }

  /** Waits for what must come; says what did not, and of the last operator whether it is still there. */
  async until(what: string, holds: () => Promise<boolean>, limitSeconds = 60): Promise<void> {
    const end = performance.now() + limitSeconds * 1000;
    while (!(await holds())) {
      if (performance.now() > end) {
        const operator = this.#operators.at(-1)?.end ?? 'it runs';
        throw new Error(`after ${limitSeconds} s it is still not so that ${what}; the operator: ${operator}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

const urlAt = (port: number): string => `https://127.0.0.1:${port}/evict`;

/** Stories are told in both worlds, and come to the same: on the real control plane, and in memory. */
export const isEmbedded = process.env['DROVER_WORLD'] === 'embedded';

export const startWorld = (given: { readonly times?: number } = {}): Promise<DrainWorld<DrainPlane>> =>
  isEmbedded ? DrainWorld.startEmbedded(given) : DrainWorld.start(given);
