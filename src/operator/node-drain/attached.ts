import type { KubeClient } from '../../kube/client.ts';
import { jsonCodec } from '../../kube/codec.ts';
import type { Informer, Readable } from '../../kube/informer.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { Resource } from '../../kube/resource.ts';
import type { ControllerContext } from '../controller.ts';
import { claims, volumes } from '../resources.ts';
import { volumeView } from '../seen/volume.ts';
import type { LeavingGroup } from './guards.ts';
import type { PodView } from './pod-view.ts';
import type { Attachment } from './resources.ts';
import { attachments } from './resources.ts';

interface AttachmentView {
  readonly key: string;
  readonly version: string;
  readonly node: string;
  /** The volume; its attachment where it has no name of its own. */
  readonly volume: string;
}

interface BoundClaim extends KubeObject {
  readonly spec: { readonly volumeName?: string };
}

const boundClaims: Resource<BoundClaim> = { ...claims };

/** Which volumes are attached to which node, and which claims of those that leave it are left. */
export class Attached {
  readonly #client: KubeClient;
  readonly #informer: Informer<AttachmentView, 'node'>;
  readonly informer: Readable;

  constructor({ informer, client }: Pick<ControllerContext, 'informer' | 'client'>) {
    this.#client = client;
    this.#informer = informer<AttachmentView, 'node'>({
      resource: attachments,
      codec: jsonCodec<Attachment, AttachmentView>(({ metadata, spec }) => ({
        key: metadata.name,
        version: metadata.resourceVersion ?? '',
        node: spec.nodeName,
        volume: spec.source?.persistentVolumeName ?? metadata.name,
      })),
      key: ({ key }) => key,
      version: ({ version }) => version,
      indexes: { node: ({ node }) => [node] },
    });
    this.informer = this.#informer;
  }

  /** The volumes of a node that none of the pods uses which stay there. These are few: their claims are read one by one, and only where it matters. */
  async to(node: string, staying: readonly PodView[], signal: AbortSignal): Promise<readonly string[]> {
    const found = this.#informer.cache.find('node', node).map(({ volume }) => volume);
    if (found.length === 0) return [];
    const used = new Set<string>();
    for (const { namespace, claims: names } of staying) {
      for (const name of names) {
        const volume = await this.#volumeOf({ namespace, name }, signal);
        if (volume !== undefined) used.add(volume);
      }
    }
    return found.filter((volume) => !used.has(volume));
  }

  /**
   * The names of those that leave and still have their claims there: not such as can be used on another node, wherever their pods were last. What is on
   * record of one stays longer than that: until the engine has forgotten it. While pods are there it does not matter, so that these few are read one by
   * one, too.
   */
  async notGone(leaving: readonly LeavingGroup[], signal: AbortSignal): Promise<readonly string[]> {
    const names: string[] = [];
    for (const { name, claim } of leaving) {
      const found = await this.#client.find(boundClaims, claim, { signal });
      if (found !== undefined && !(await this.#travels(found, signal))) names.push(name);
    }
    return names;
  }

  subscribe(hear: (node: string) => void): () => void {
    return this.#informer.cache.subscribe({ deleted: ({ node }) => hear(node) });
  }

  /** A claim whose volume cannot be read stays where its pod was. */
  async #travels({ spec: { volumeName } }: BoundClaim, signal: AbortSignal): Promise<boolean> {
    if (volumeName === undefined) return false;
    const volume = await this.#client.find(volumes, { name: volumeName }, { signal });
    return volume !== undefined && volumeView(volume).travels;
  }

  async #volumeOf(key: { readonly namespace: string; readonly name: string }, signal: AbortSignal) {
    return (await this.#client.find(boundClaims, key, { signal }))?.spec.volumeName;
  }
}
