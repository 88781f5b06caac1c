import { jsonCodec } from '../../kube/codec.ts';
import type { Informer } from '../../kube/informer.ts';
import { keyText } from '../../kube/object.ts';
import type { Pod as KubePod } from '../../kube/resources.ts';
import { pods } from '../../kube/resources.ts';
import type { ControllerContext } from '../controller.ts';
import type { Claim } from '../resources.ts';
import { claims, volumes } from '../resources.ts';
import type { Volume, VolumeView } from '../seen/volume.ts';
import { volumeView } from '../seen/volume.ts';
import type { ClaimView } from '../stateful-cluster/seen/claim.ts';
import { claimView } from '../stateful-cluster/seen/claim.ts';
import type { GuardedPodView } from './seen-pod.ts';
import { guardedPodView } from './seen-pod.ts';

/** What is in one namespace, as the watches told: it may be behind. */
export interface NamespaceSeen {
  readonly pods: readonly GuardedPodView[];
  /** A claim of the namespace, and the volume that it is bound to. Undefined: not there, or not readable. */
  claim(name: string): { readonly claim: ClaimView; readonly volume: VolumeView | undefined } | undefined;
}

interface Reading {
  readonly pods: Informer<GuardedPodView>;
  readonly claims: Informer<ClaimView>;
  readonly end: AbortController;
}

type Hear = (namespace: string, pod: GuardedPodView) => void;

/** The pods and claims of namespaces that have guards, read from the first guard on and until the last one is gone: no others are looked at. */
export class PodsOnDemand {
  readonly #context: Pick<ControllerContext, 'informer'>;
  readonly #hear: Hear;
  readonly #end = new AbortController();
  readonly #namespaces = new Map<string, Reading>();
  #volumes: Informer<VolumeView> | undefined;

  /** `hear` is told of every pod that comes, changes or goes, and of what it was before. */
  constructor(context: Pick<ControllerContext, 'informer'>, hear: Hear) {
    this.#context = context;
    this.#hear = hear;
  }

  /** What is in a namespace; undefined: it has not been read yet, or may not be, and nothing can be said about it. */
  seen(namespace: string): NamespaceSeen | undefined {
    const reading = this.#namespaces.get(namespace) ?? this.#read(namespace);
    if (!reading.pods.cache.hasSynced || !reading.claims.cache.hasSynced) return undefined;
    return {
      pods: [...reading.pods.cache.values()],
      claim: (name) => {
        const claim = reading.claims.cache.get(keyText({ namespace, name }));
        return claim === undefined ? undefined : { claim, volume: this.#volumes?.cache.get(claim.volume) };
      },
    };
  }

  /** Nothing is guarded there any more. */
  leave(namespace: string): void {
    this.#namespaces.get(namespace)?.end.abort();
    this.#namespaces.delete(namespace);
  }

  stop(): void {
    this.#end.abort();
  }

  #read(namespace: string): Reading {
    const informers = { pods: this.#podsIn(namespace), claims: this.#claimsIn(namespace) };
    const reading = { ...informers, end: new AbortController() };
    this.#namespaces.set(namespace, reading);
    informers.pods.cache.subscribe({
      added: (pod) => this.#hear(namespace, pod),
      updated: (pod, before) => {
        this.#hear(namespace, before);
        this.#hear(namespace, pod);
      },
      deleted: (pod) => this.#hear(namespace, pod),
    });
    this.#volumes ??= this.#allVolumes();
    const end = AbortSignal.any([this.#end.signal, reading.end.signal]);
    void informers.pods.run(end);
    void informers.claims.run(end);
    return reading;
  }

  #podsIn(namespace: string): Informer<GuardedPodView> {
    return this.#context.informer<GuardedPodView, never>({
      resource: pods,
      namespace,
      codec: jsonCodec<KubePod, GuardedPodView>(guardedPodView),
      ...byKey,
    });
  }

  #claimsIn(namespace: string): Informer<ClaimView> {
    return this.#context.informer<ClaimView, never>({
      resource: claims,
      namespace,
      codec: jsonCodec<Claim, ClaimView>(claimView),
      ...byKey,
    });
  }

  #allVolumes(): Informer<VolumeView> {
    const informer = this.#context.informer<VolumeView, never>({
      resource: volumes,
      codec: jsonCodec<Volume, VolumeView>(volumeView),
      ...byKey,
    });
    void informer.run(this.#end.signal);
    return informer;
  }
}

interface Kept {
  readonly key: string;
  readonly version: string;
}

const byKey = { key: ({ key }: Kept) => key, version: ({ version }: Kept) => version, indexes: {} };
