import type { Clock } from '../../kube/clock.ts';
import type { Random } from '../../kube/random.ts';
import { Admission } from './admission.ts';
import { type Answer, errorAnswer, pageNotFound } from './answer.ts';
import { builtinResources } from './builtin-resources.ts';
import { CustomResources } from './custom-resources.ts';
import { Deleter } from './deleter.ts';
import { Discovery } from './discovery.ts';
import { Evictor } from './eviction.ts';
import type { ExecMessages, RunProgram } from './exec.ts';
import { answerExec } from './exec.ts';
import { GarbageCollector } from './garbage-collector.ts';
import { KindRegistry } from './kind-registry.ts';
import { NamespaceController } from './namespace-controller.ts';
import { Patcher } from './patcher.ts';
import { QuotaStatus } from './quota-status.ts';
import { parseRequest } from './request-info.ts';
import { ResourceHandler } from './resource-handler.ts';
import { reviewAccess } from './self-review.ts';
import type { ServerRequest } from './server-request.ts';
import { internalError, StatusError } from './status-error.ts';
import { StorageProtection } from './storage-protection.ts';
import { Store } from './store.ts';
import { SubresourceHandler } from './subresource-handler.ts';
import type { WebhookCaller } from './webhook-call.ts';
import { World } from './world.ts';
import type { UserInfo } from './write-request.ts';
import { Writer } from './writer.ts';

export interface ApiServerOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Reaches admission webhooks. @default none can be reached, which each webhook's failure policy answers */
  readonly callWebhook?: WebhookCaller;
  /**
   * The parts of the controller manager without which deletion never ends: garbage collection, the end of namespaces, protection of
   * storage in use, the count of quotas. @default true
   */
  readonly controllers?: boolean;
  /** Runs programs in pods. @default none can be run */
  readonly runProgram?: RunProgram;
  /** Namespaces that exist from the start. @default default, kube-system, kube-public, kube-node-lease */
  readonly namespaces?: readonly string[];
}

const usualNamespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/**
 * A Kubernetes API server in memory: the kinds that Drover meets, and any that a CustomResourceDefinition brings, with the answers of the real
 * one (`test/cluster/api-server-parity.test.ts` holds it to that). The same clock, random numbers and requests give the same bytes.
 *
 * Everything that does not wait for a webhook is done when `answer` returns its promise's first turn: requests are handled in the order in
 * which they come.
 */
export class EmbeddedApiServer {
  readonly world: World;
  readonly #resources: ResourceHandler;
  readonly #discovery: Discovery;
  readonly #controllers: readonly { stop(): void }[];
  readonly #runProgram: RunProgram;

  constructor(options: ApiServerOptions) {
    const { clock, random } = options;
    const world = new World({ store: new Store(), kinds: new KindRegistry(builtinResources), clock, random });
    this.world = world;
    this.#runProgram = options.runProgram ?? (() => Promise.resolve({ notRun: 'nothing runs in this world' }));
    const admission = new Admission(world, options.callWebhook);
    const writer = new Writer(world, admission.admit);
    const deleter = new Deleter(world, admission.admit);
    const evictor = new Evictor(world, deleter, admission.admit);
    this.#resources = new ResourceHandler({
      world,
      writer,
      deleter,
      patcher: new Patcher(world, writer),
      subresources: new SubresourceHandler({ world, writer, evictor, admit: admission.admit }),
    });
    this.#discovery = new Discovery(world);
    const always = [new CustomResources(world)];
    this.#controllers =
      options.controllers === false
        ? always
        : [
            ...always,
            new GarbageCollector(world, deleter),
            new NamespaceController(world, deleter),
            new StorageProtection(world),
            new QuotaStatus(world),
          ];
    for (const name of options.namespaces ?? usualNamespaces) this.#createNamespace(name);
  }

  /** Answers one request. Never rejects: what goes wrong is an answer with a Status. */
  async answer(request: ServerRequest, user: UserInfo): Promise<Answer> {
    const warnings: string[] = [];
    try {
      const special = this.#discovery.answer(request) ?? reviewAccess(request, user, () => this.world.now());
      if (special !== undefined) return special;
      const info = parseRequest(request.path);
      if (info === undefined || !this.world.kinds.hasGroupVersion(info.group, info.version)) return pageNotFound;
      return await this.#resources.handle(
        { method: request.method, info, headers: request.headers, body: request.body, user },
        warnings,
      );
    } catch (error) {
      return errorAnswer(error instanceof StatusError ? error : internalError(String(error)), warnings);
    }
  }

  /** Answers a request that opens a WebSocket: only `pods/exec` knows how. */
  exec(path: string, signal: AbortSignal): Promise<Answer | ExecMessages> {
    return answerExec(this.world, this.#runProgram, path, signal);
  }

  /** Forgets all history, so that every watch that is resumed from the past gets a 410. */
  compact(): void {
    this.world.store.compact();
  }

  /** Stops the controllers. Requests are still answered. */
  stop(): void {
    for (const controller of this.#controllers) controller.stop();
  }

  #createNamespace(name: string): void {
    const { world } = this;
    world.store.put(
      'namespaces',
      {
        kind: 'Namespace',
        apiVersion: 'v1',
        metadata: {
          name,
          uid: world.uid(),
          creationTimestamp: world.now(),
          labels: { 'kubernetes.io/metadata.name': name },
        },
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Active' },
      },
      undefined,
    );
  }
}
