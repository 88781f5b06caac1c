import { apiVersion } from '../../api/kind.ts';
import { statefulCluster } from '../../api/kinds.ts';
import type { StatefulClusterSpecInput } from '../../api/v1alpha1/stateful-cluster.schema.ts';
import type { KubeObject } from '../../kube/object.ts';
import { name } from '../../model/ids.ts';
import type { Cluster } from '../../operator/stateful-cluster/cluster.ts';
import { ClusterMemory } from '../../operator/stateful-cluster/cluster-memory.ts';
import { objectNames } from '../../operator/stateful-cluster/marks.ts';
import type { Recorded } from '../../operator/stateful-cluster/recorded.ts';
import { recordedIn } from '../../operator/stateful-cluster/recorded.ts';
import { statefulClusters } from '../../operator/stateful-cluster/view.ts';
import type { JsonObject } from '../api-server/json.ts';
import type { Bounds } from './cluster-changes.ts';
import { changed } from './cluster-changes.ts';
import type { Change } from './happenings.ts';
import { outdated } from './outdated.ts';
import { readStored, storedObject } from './stored-object.ts';
import type { Place, WantedRole } from './subject.ts';
import { namespace } from './subject.ts';

const orders = { namespace, name: 'orders' };

/** The StatefulCluster of a run, as people write it and as the API server has it, whatever the operator believes. */
export class SimulatedCluster {
  readonly key = `${orders.namespace}/${orders.name}`;
  readonly #place: Place;
  readonly #bounds: Bounds;
  readonly #memory = new ClusterMemory();
  readonly #read = readStored((object: KubeObject) => {
    const cluster = this.#memory.read(object);
    return { cluster, recorded: recordedIn(cluster.status) };
  });

  constructor(place: Place, bounds: Bounds) {
    this.#place = place;
    this.#bounds = bounds;
  }

  async create(spec: StatefulClusterSpecInput): Promise<void> {
    const { people, signal } = this.#place;
    const object: KubeObject & { readonly spec: object } = { metadata: orders, spec };
    await people.create(statefulClusters, object, { signal });
  }

  get roles(): readonly WantedRole[] {
    const { roles, automationOptions } = this.#stored().cluster.spec;
    const isReplaced = automationOptions.replacements.enabled;
    return roles.map((role) => ({ name: role.name, count: role.count, isReplaced }));
  }

  recorded(): Recorded {
    return this.#stored().recorded;
  }

  groupOf(kind: 'pod' | 'claim', object: string): string | undefined {
    const [before, after] = objectNames[kind](orders.name, name('\n')).split('\n');
    if (before === undefined || after === undefined) return undefined;
    if (!object.startsWith(before) || !object.endsWith(after)) return undefined;
    return object.slice(before.length, object.length - after.length);
  }

  podOf(group: string): string {
    return objectNames.pod(orders.name, name(group));
  }

  async change(wanted: Change): Promise<void> {
    const { cluster, recorded } = this.#stored();
    await this.#patch(changed(cluster.spec, recorded.rows, wanted, this.#bounds));
  }

  cancelNothing(): Promise<void> {
    return this.#patch({ cancelReplacementsForInstance: [] });
  }

  outdated(): string | undefined {
    return outdated(this.#object(), this.#place.cluster.world);
  }

  #object(): JsonObject {
    return storedObject(this.#place, 'statefulclusters.drover.dev', orders);
  }

  #stored(): { readonly cluster: Cluster; readonly recorded: Recorded } {
    return this.#read(this.#object(), { apiVersion, kind: statefulCluster.kind });
  }

  async #patch(spec: Partial<StatefulClusterSpecInput>): Promise<void> {
    const { people, signal } = this.#place;
    await people.patch(statefulClusters, orders, { type: 'merge', body: { spec } }, { signal });
  }
}
