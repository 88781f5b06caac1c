import { KubeClient } from '../../kube/client.ts';
import type { Clock, Millis } from '../../kube/clock.ts';
import type { Random } from '../../kube/random.ts';
import type { ClusterSpec, RoleSpec } from '../../model/cluster-spec.ts';
import { name } from '../../model/ids.ts';
import type { ProcessGroup } from '../../model/process-group.ts';
import type { PodShape } from '../../model/shape.ts';
import type { Ask } from '../../model/snapshot.ts';
import type { Topology } from '../../model/topology.ts';
import { textAt } from '../api-server/json.ts';
import { storedAs } from '../cluster/resources.ts';
import type { ModelEngine } from '../engines/model-engine.ts';
import { roleOfGroup, specHashAnnotation } from '../stand-in/manifests.ts';
import { recordIn, recordName } from '../stand-in/record.ts';
import { StandIn } from '../stand-in/stand-in.ts';
import type { ModelDatabase } from '../stand-in/store-database.ts';
import { storeDatabase } from '../stand-in/store-database.ts';
import type { Change } from './happenings.ts';
import { pickOf } from './pick.ts';
import type { Deployment, Life, OnRecord, Place, Subject, Surroundings, WantedRole } from './subject.ts';
import { namespace } from './subject.ts';
import { keepsACopyOfAll, keepsEveryQuorum, processesOf } from './survives.ts';

/** A replicated store with an agency, under ArangoDB's rules, which the stand-in looks after. */
export interface CorePlan {
  readonly engine: 'core';
  readonly spec: ClusterSpec;
  readonly replicationFactor: number;
  readonly shards: number;
  /** How long the engine takes to notice that a process is gone. */
  readonly noticeDelay: Millis;
}

/** A store that has no cluster yet. */
export function coreDeployment(plan: CorePlan, clock: Clock, random: Random): Deployment {
  const quorumSize = plan.spec.roles.find(({ name }) => name === 'agent')?.count ?? 3;
  const { replicationFactor, shards, noticeDelay } = plan;
  const figures = { quorumSize, replicationFactor, shards, noticeDelay, jobFailures: 0.05 };
  const database = storeDatabase({ clock, random, ...figures });
  return { hooks: database.hooks, deploy: (place) => new CoreSubject(plan, database, place) };
}

class CoreSubject implements Subject {
  readonly #database: ModelDatabase;
  readonly #replicationFactor: number;
  readonly #place: Place;
  #spec: ClusterSpec;
  #asks: readonly Ask[] = [];

  constructor({ spec, replicationFactor }: CorePlan, database: ModelDatabase, place: Place) {
    this.#spec = spec;
    this.#replicationFactor = replicationFactor;
    this.#database = database;
    this.#place = place;
  }

  get model(): ModelEngine {
    return this.#database.model;
  }

  get roles(): readonly WantedRole[] {
    const { roles, replacements } = this.#spec;
    return roles.map(({ name, count }) => ({ name, count, isReplaced: replacements.enabled }));
  }

  async prepare(): Promise<void> {}

  fill(): void {
    this.#database.fill();
  }

  live({ transport, clock, random, over, onDecision }: Surroundings, signal: AbortSignal): Life {
    const standIn = new StandIn({
      cluster: name(`${namespace}/database`),
      namespace,
      client: new KubeClient({ transport, clock, random, rateLimit: { perSecond: 1e6, burst: 1e6 } }),
      clock,
      random,
      engine: over(this.#database.engine),
      wishes: () => ({ spec: this.#spec, asks: this.#asks }),
      onDecision,
    });
    const ended = standIn.run(signal);
    return {
      ended,
      get isAtWork() {
        return standIn.isAtWork;
      },
    };
  }

  recorded(): OnRecord {
    const stored = this.#place.cluster.world.store.collection('configmaps').get(namespace, recordName);
    const text = stored === undefined ? '' : textAt(stored.object, 'data', 'record');
    return recordIn(text === '' ? undefined : text);
  }

  groupOf(_kind: 'pod' | 'claim', object: string): string {
    return object;
  }

  podOf(group: string): string {
    return group;
  }

  async change(wanted: Change): Promise<void> {
    this.#spec = this.#changed(wanted);
  }

  async cancelNothing(): Promise<void> {
    this.#spec = { ...this.#spec, cancelReplacements: [] };
  }

  ask(asks: readonly Ask[]): void {
    this.#asks = asks;
  }

  endures(topology: Topology, gone: ReadonlySet<string>): boolean {
    const processes = processesOf(topology, gone);
    return keepsACopyOfAll(topology, processes) && keepsEveryQuorum(topology, processes);
  }

  outdated(): string | undefined {
    for (const [kind, hash] of [
      [storedAs.pods, 'specHash'],
      [storedAs.claims, 'claimSpecHash'],
    ] as const) {
      for (const { object } of this.#place.cluster.world.store.collection(kind).entries(namespace)) {
        const name = textAt(object, 'metadata', 'name');
        const shape = roleOfGroup(this.#spec, name)?.shape;
        const is = textAt(object, 'metadata', 'annotations', specHashAnnotation);
        if (shape !== undefined && shape !== null && is !== shape[hash]) return name;
      }
    }
    return undefined;
  }

  leftBehind(): string | undefined {
    const excluded = this.model.whole().processes.find((process) => process.excluded === true);
    return excluded === undefined ? undefined : `${excluded.id} stays, and the engine is still to move its data away`;
  }

  #changed(wanted: Change): ClusterSpec {
    const { rows } = this.recorded();
    const spec = this.#spec;
    switch (wanted.kind) {
      case 'pod-template':
        return withShape(spec, { specHash: `pod-${wanted.version}` });
      case 'claim-template':
        return withShape(spec, { claimSpecHash: `claim-${wanted.version}` });
      case 'reshape':
      case 'broken-template':
      case 'no-place':
        // What the stand-in makes has no more of a shape than those two.
        return spec;
      case 'count':
        return withRole(spec, wanted.role, ({ count }) => ({
          count: Math.min(7, Math.max(this.#replicationFactor + 1, count + wanted.by)),
        }));
      case 'remove':
        return withRemoval(spec, rows, wanted.pick);
      case 'cancel':
        return withCancel(spec, rows, wanted.pick);
    }
  }
}

function withRemoval(spec: ClusterSpec, rows: readonly ProcessGroup[], pick: number): ClusterSpec {
  const group = pickOf(
    rows.filter(({ removal, role }) => removal === null && role === 'dbserver'),
    pick,
  );
  if (group === undefined || spec.cancelReplacements.includes(group.id)) return spec;
  return { ...spec, processGroupsToRemove: [...spec.processGroupsToRemove, group.id] };
}

function withCancel(spec: ClusterSpec, rows: readonly ProcessGroup[], pick: number): ClusterSpec {
  const group = pickOf(
    rows.filter(({ removal, removingAt }) => removal !== null && removingAt === null),
    pick,
  );
  if (group === undefined) return spec;
  return {
    ...spec,
    cancelReplacements: [...spec.cancelReplacements, group.id],
    processGroupsToRemove: spec.processGroupsToRemove.filter((id) => id !== group.id),
  };
}

function withShape(spec: ClusterSpec, shape: Partial<PodShape>): ClusterSpec {
  const roles = spec.roles.map((role) =>
    role.shape === null ? role : { ...role, shape: { ...role.shape, ...shape } },
  );
  return { ...spec, roles };
}

function withRole(spec: ClusterSpec, name: string, change: (role: RoleSpec) => Partial<RoleSpec>): ClusterSpec {
  return { ...spec, roles: spec.roles.map((role) => (role.name === name ? { ...role, ...change(role) } : role)) };
}
