import { seconds } from '../../kube/clock.ts';
import { plainDelete } from './delete-options.ts';
import type { Deleter } from './deleter.ts';
import { clone, listAt, objectAt, textAt } from './json.ts';
import { Later } from './later.ts';
import type { World } from './world.ts';
import { isFinished } from './writer.ts';

/** How long until a namespace that still has something in it is looked at again; changes in it are noticed at once. */
const again = seconds(5);

/** Empties namespaces that are deleted, and lets them go when nothing is left in them. */
export class NamespaceController {
  readonly #world: World;
  readonly #deleter: Deleter;
  readonly #stop: () => void;
  readonly #later: Later;
  readonly #leaving = new Set<string>();

  constructor(world: World, deleter: Deleter) {
    this.#world = world;
    this.#deleter = deleter;
    this.#later = new Later(world.clock);
    this.#stop = world.store.listen((collection, { type, stored, namespace, name }) => {
      if (collection === 'namespaces') {
        if (type === 'DELETED') this.#leaving.delete(name);
        else if (textAt(stored.object, 'metadata', 'deletionTimestamp') !== '' && !this.#leaving.has(name)) {
          this.#leaving.add(name);
          this.#later.do(() => this.#empty(name));
        }
      } else if (type === 'DELETED' && this.#leaving.has(namespace)) this.#later.do(() => this.#empty(namespace));
    });
  }

  stop(): void {
    this.#stop();
    this.#later.stop();
  }

  #empty(namespace: string): void {
    const { store, kinds } = this.#world;
    const current = store.collection('namespaces').get('', namespace);
    if (current === undefined) return;
    let left = 0;
    const seen = new Set<string>();
    for (const definition of kinds.all()) {
      if (!definition.namespaced || seen.has(definition.storage)) continue;
      seen.add(definition.storage);
      for (const stored of Array.from(store.collection(definition.storage).entries(namespace))) {
        const isDeleting = textAt(stored.object, 'metadata', 'deletionTimestamp') !== '';
        const gone =
          !isDeleting && this.#deleter.remove(definition, stored, { ...plainDelete, propagation: 'Background' }).gone;
        if (!gone) left += 1;
      }
    }
    if (left > 0) this.#later.do(() => this.#empty(namespace), again);
    else this.#finalize(namespace);
  }

  #finalize(namespace: string): void {
    const { store, kinds } = this.#world;
    const definition = kinds.find('', 'v1', 'namespaces');
    const current = store.collection('namespaces').get('', namespace);
    if (definition === undefined || current === undefined) return;
    const next = clone(current.object);
    const spec = objectAt(next, 'spec');
    const finalizers = listAt(spec, 'finalizers').filter((each) => each !== 'kubernetes');
    if (finalizers.length === 0) delete spec['finalizers'];
    else spec['finalizers'] = finalizers;
    if (isFinished(definition, next, current.object)) store.remove('namespaces', current);
    else if (listAt(current.object, 'spec', 'finalizers').includes('kubernetes'))
      store.put('namespaces', next, current);
  }
}
