import type { KubeClient } from '../../../kube/client.ts';
import { done, type Next } from '../../../kube/controller.ts';
import { type KeyText, parseKey } from '../../../kube/object.ts';
import { at, listAt } from '../../api-server/json.ts';
import { type ClusterContext, clientFor, controllerUser } from '../context.ts';
import { unlessGone, unlessThere } from '../overtaken.ts';
import { changedKey, type Part, Reconciler } from '../reconciler.ts';
import { claims, storedAs, volumes } from '../resources.ts';
import { buildDisk, diskName, diskProvisioner } from './build-disk.ts';
import {
  type ClaimView,
  claimAt,
  selectedNode,
  storageClassAt,
  type VolumeView,
  volumeAt,
  volumeView,
} from './disk-view.ts';

/**
 * Makes disks for claims, binds them, and takes them away with their claims: the persistent volume controller and the provisioner of the
 * classes "network" and "local" in one. Keys of claims have a slash, keys of volumes have none.
 *
 * Not played: choosing among volumes that were made beforehand. A claim that names its volume, or a volume that names its claim, is bound.
 */
export class VolumeController implements Part {
  readonly #context: ClusterContext;
  readonly #client: KubeClient;
  readonly #reconciler: Reconciler;

  constructor(context: ClusterContext) {
    this.#context = context;
    this.#client = clientFor(context, controllerUser('persistent-volume-binder'), 'kube-controller-manager');
    this.#reconciler = new Reconciler(context, (key) => this.#reconcile(key));
    this.#reconciler.listen(storedAs.claims, (change) => {
      this.#reconciler.add(changedKey(change));
      if (change.type === 'DELETED') this.#volumesOf(changedKey(change), (name) => this.#reconciler.add(name));
    });
    this.#reconciler.listen(storedAs.volumes, (change) => {
      if (change.type === 'DELETED') return;
      this.#reconciler.add(change.name);
      const { claim } = volumeView(change.stored.object);
      if (claim !== undefined) this.#reconciler.add(`${claim.namespace}/${claim.name}`);
    });
  }

  stop(): Promise<void> {
    return this.#reconciler.stop();
  }

  #volumesOf(claim: KeyText, hear: (volume: string) => void): void {
    for (const { object } of this.#context.world.store.collection(storedAs.volumes).entries()) {
      const volume = volumeView(object);
      if (volume.claim !== undefined && `${volume.claim.namespace}/${volume.claim.name}` === claim) hear(volume.name);
    }
  }

  async #reconcile(key: KeyText): Promise<Next> {
    const { namespace, name } = parseKey(key);
    if (namespace === undefined) await this.#settleVolume(name);
    else await this.#settleClaim(namespace, name);
    return done;
  }

  async #settleClaim(namespace: string, name: string): Promise<void> {
    const { world } = this.#context;
    const claim = claimAt(world, namespace, name);
    if (claim === undefined || claim.isDeleting || claim.phase === 'Bound') return;
    const volume = volumeAt(world, claim.volume === '' ? diskName(claim) : claim.volume);
    if (volume !== undefined) return this.#bind(claim, volume);
    const storageClass = storageClassAt(world, claim.storageClass);
    if (storageClass?.provisioner !== diskProvisioner || claim.volume !== '') return;
    if (storageClass.waitsForConsumer && claim.annotations[selectedNode] === undefined) return;
    await unlessThere(this.#client.create(volumes, buildDisk(claim, storageClass), { signal: this.#context.signal }));
  }

  /** The claim names the volume first; its status says Bound only when that is written. */
  async #bind(claim: ClaimView, volume: VolumeView): Promise<void> {
    const { signal } = this.#context;
    if (volume.isDeleting || (volume.claim !== undefined && volume.claim.uid !== claim.uid)) return;
    const key = { namespace: claim.namespace, name: claim.name };
    const identity = { uid: claim.uid, resourceVersion: claim.version };
    if (claim.volume === '') {
      const annotations = {
        'pv.kubernetes.io/bind-completed': 'yes',
        'pv.kubernetes.io/bound-by-controller': 'yes',
        'volume.beta.kubernetes.io/storage-provisioner': diskProvisioner,
        'volume.kubernetes.io/storage-provisioner': diskProvisioner,
      };
      const body = { metadata: { ...identity, annotations }, spec: { volumeName: volume.name } };
      return unlessGone(this.#client.patch(claims, key, { type: 'merge', body }, { signal }));
    }
    const status = {
      phase: 'Bound',
      accessModes: [...listAt(volume.object, 'spec', 'accessModes')],
      capacity: at(volume.object, 'spec', 'capacity'),
    };
    const body = { metadata: identity, status };
    await unlessGone(this.#client.patch(claims, key, { type: 'merge', body }, { signal, subresource: 'status' }));
  }

  async #settleVolume(name: string): Promise<void> {
    const { world, signal } = this.#context;
    const volume = volumeAt(world, name);
    if (volume === undefined || volume.isDeleting) return;
    const phase = this.#phaseOf(volume);
    if (phase !== volume.phase) {
      const body = { metadata: { resourceVersion: volume.version }, status: { phase } };
      const options = { signal, subresource: 'status' };
      return unlessGone(this.#client.patch(volumes, { name }, { type: 'merge', body }, options));
    }
    if (phase === 'Released' && volume.reclaim === 'Delete' && volume.provisionedBy === diskProvisioner) {
      await unlessGone(this.#client.delete(volumes, { name }, { signal }));
    }
  }

  #phaseOf({ name, claim, phase }: VolumeView): string {
    if (claim === undefined) return 'Available';
    const found = claimAt(this.#context.world, claim.namespace, claim.name);
    if (found?.uid === claim.uid) return found.volume === name ? 'Bound' : phase;
    return claim.uid === '' ? phase : 'Released';
  }
}
