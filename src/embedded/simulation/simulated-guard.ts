import { apiVersion } from '../../api/kind.ts';
import { evictionGuard } from '../../api/kinds.ts';
import type { EvictionGuardSpecInput } from '../../api/v1alpha1/eviction-guard.schema.ts';
import type { KubeObject } from '../../kube/object.ts';
import { readGuard } from '../../operator/eviction-guard/guard.ts';
import { groupsOf } from '../../operator/eviction-guard/members.ts';
import { recordedInGuard } from '../../operator/eviction-guard/recorded-guard.ts';
import { evictionGuards } from '../../operator/eviction-guard/view.ts';
import type { Recorded } from '../../operator/stateful-cluster/recorded.ts';
import { statefulSets } from '../cluster/resources.ts';
import { readStored, storedObject } from './stored-object.ts';
import type { Place, WantedRole } from './subject.ts';
import { namespace } from './subject.ts';

const ledger = { namespace, name: 'ledger' };
/** The StatefulSet and its guard, by `namespace/name`. */
export const guardKey = `${ledger.namespace}/${ledger.name}`;
/** The one role of its processes. */
export const guardedRole = 'vault';
const volume = 'data';

/** A StatefulSet that somebody else owns, and the guard over its pods. */
export interface GuardPlan {
  readonly pods: number;
  readonly storageClassName: 'local' | 'network';
  readonly spec: Pick<EvictionGuardSpecInput, 'drainPolicy' | 'trigger'>;
}

type GuardRecord = Pick<Recorded, 'rows' | 'grants' | 'asks'>;

/** The EvictionGuard of a run and the pods under it, as people write them and as the API server has them, whatever the operator believes. */
export class SimulatedGuard {
  readonly key = guardKey;
  readonly #place: Place;
  readonly #plan: GuardPlan;
  readonly #read = readStored((object: KubeObject): GuardRecord => {
    const { pods, ...lock } = recordedInGuard(readGuard(object).status);
    return { rows: groupsOf([], { pods: [], claim: () => undefined }, pods), ...lock };
  });

  constructor(place: Place, plan: GuardPlan) {
    this.#place = place;
    this.#plan = plan;
  }

  async create(): Promise<void> {
    const { people, signal } = this.#place;
    await people.create(statefulSets, setOf(this.#plan), { signal });
    const guard: KubeObject & { readonly spec: EvictionGuardSpecInput } = {
      metadata: ledger,
      spec: {
        engine: { type: 'http', http: { url: `http://${ledger.name}.${ledger.namespace}` } },
        roles: [{ name: guardedRole, selector: { matchLabels: { app: ledger.name } } }],
        ...this.#plan.spec,
      },
    };
    await people.create(evictionGuards, guard, { signal });
  }

  get roles(): readonly WantedRole[] {
    return [{ name: guardedRole, count: this.#plan.pods, isReplaced: false }];
  }

  recorded(): GuardRecord {
    const type = { apiVersion, kind: evictionGuard.kind };
    return this.#read(storedObject(this.#place, 'evictionguards.drover.dev', ledger), type);
  }

  /** Its process groups are called as its pods are. */
  groupOf(kind: 'pod' | 'claim', object: string): string | undefined {
    const pod = kind === 'pod' ? object : object.replace(`${volume}-`, '');
    return pod.startsWith(`${ledger.name}-`) ? pod : undefined;
  }
}

/** No two pods on one node. */
function setOf({ pods: replicas, storageClassName }: GuardPlan): KubeObject & { readonly spec: object } {
  const app = { app: ledger.name };
  const affinity = {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: app } },
      ],
    },
  };
  const containers = [{ name: 'ledger', image: 'ledger:1', volumeMounts: [{ name: volume, mountPath: `/${volume}` }] }];
  const claim = { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: { storage: '1Gi' } } };
  return {
    metadata: ledger,
    spec: {
      replicas,
      serviceName: ledger.name,
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: app },
      template: { metadata: { labels: { ...app, tier: guardedRole } }, spec: { affinity, containers } },
      volumeClaimTemplates: [{ metadata: { name: volume }, spec: claim }],
    },
  };
}
