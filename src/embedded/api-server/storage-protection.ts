import { clone, listAt, textAt } from './json.ts';
import { claimProtection, volumeProtection } from './kinds/storage-strategies.ts';
import { Later } from './later.ts';
import { metadataOf } from './object-meta.ts';
import type { Stored } from './store.ts';
import type { World } from './world.ts';
import { isFinished } from './writer.ts';

/** Lets go of deleted claims that no pod uses any more, and of deleted volumes that no claim holds, as two controllers of the real world do. */
export class StorageProtection {
  readonly #world: World;
  readonly #stop: () => void;
  readonly #later: Later;

  constructor(world: World) {
    this.#world = world;
    this.#later = new Later(world.clock);
    this.#stop = world.store.listen((collection, { type, stored, namespace, name }) => {
      const isDeleting = textAt(stored.object, 'metadata', 'deletionTimestamp') !== '';
      if (collection === 'persistentvolumeclaims' && type !== 'DELETED' && isDeleting)
        this.#later.do(() => this.#checkClaim(namespace, name));
      if (collection === 'persistentvolumes' && type !== 'DELETED' && isDeleting)
        this.#later.do(() => this.#checkVolume(name));
      if (collection === 'pods' && (type === 'DELETED' || isOver(stored))) {
        for (const claim of claimsOf(stored)) this.#later.do(() => this.#checkClaim(namespace, claim));
      }
    });
  }

  stop(): void {
    this.#stop();
    this.#later.stop();
  }

  #checkClaim(namespace: string, name: string): void {
    const { store } = this.#world;
    const stored = store.collection('persistentvolumeclaims').get(namespace, name);
    if (stored === undefined || textAt(stored.object, 'metadata', 'deletionTimestamp') === '') return;
    for (const pod of store.collection('pods').entries(namespace)) {
      if (!isOver(pod) && textAt(pod.object, 'spec', 'nodeName') !== '' && claimsOf(pod).includes(name)) return;
    }
    this.#drop('persistentvolumeclaims', stored, claimProtection);
  }

  #checkVolume(name: string): void {
    const stored = this.#world.store.collection('persistentvolumes').get('', name);
    if (stored === undefined || textAt(stored.object, 'metadata', 'deletionTimestamp') === '') return;
    if (textAt(stored.object, 'status', 'phase') !== 'Bound') this.#drop('persistentvolumes', stored, volumeProtection);
  }

  #drop(storage: string, stored: Stored, finalizer: string): void {
    const before = listAt(stored.object, 'metadata', 'finalizers');
    if (!before.includes(finalizer)) return;
    const next = clone(stored.object);
    const left = before.filter((each) => each !== finalizer);
    if (left.length === 0) delete metadataOf(next)['finalizers'];
    else metadataOf(next)['finalizers'] = [...left];
    const definition = this.#world.kinds.findStored(storage);
    if (definition !== undefined && isFinished(definition, next, stored.object))
      this.#world.store.remove(storage, stored);
    else this.#world.store.put(storage, next, stored);
  }
}

const isOver = ({ object }: Stored) => ['Failed', 'Succeeded'].includes(textAt(object, 'status', 'phase'));

function claimsOf({ object }: Stored): string[] {
  return listAt(object, 'spec', 'volumes')
    .map((volume) => textAt(volume, 'persistentVolumeClaim', 'claimName'))
    .filter((name) => name !== '');
}
