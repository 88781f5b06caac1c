import { expect } from 'vitest';
import type { BrokenQuorum, EngineProcess } from '../../../../src/embedded/engines/model-engine.ts';
import { sharedPool } from '../stage.ts';
import type { Story } from '../story.ts';
import { apart, roles, template } from '../story.ts';
import type { StoryCluster } from '../story-cluster.ts';
import { eventually } from '../story-cluster.ts';

/** Who coordinated when the operator was about to delete a pod: by the database itself, and by the cluster file that everybody else reads. */
interface Farewell {
  readonly seats: readonly EngineProcess[];
  readonly mounted: readonly string[];
}

/** Sees every pod that the operator deletes from now on, by process group. */
function watchDeletes(cluster: StoryCluster): ReadonlyMap<string, Farewell> {
  const { stage, namespace } = cluster;
  const seen = new Map<string, Farewell>();
  stage.beforeDeletes(namespace, async (pod) => {
    const { data } = await stage.plane.read(`/api/v1/namespaces/${namespace}/configmaps/orders-connection`);
    const file: string = data['fdb.cluster'];
    const mounted = file.trim().replace(/^.*@/, '').split(',');
    seen.set(pod.slice('orders-'.length), { seats: cluster.seats, mounted });
  });
  return seen;
}

/** Every break of the quorum from now on. It can only break when a process stops, and a process stops with its pod. */
function watchQuorum({ stage, database, namespace }: StoryCluster): readonly BrokenQuorum[] {
  const seen: BrokenQuorum[] = [];
  stage.pods.subscribe((pod) => {
    if (pod.namespace === namespace) seen.push(...database.parts().coordinators.broken());
  });
  return seen;
}

/** Every moment at which two seats are in one zone. They change by a command, after which the operator asks how it went. */
function watchSpread(cluster: StoryCluster): readonly (readonly EngineProcess[])[] {
  const seen: (readonly EngineProcess[])[] = [];
  cluster.stage.beforeCommands(cluster.key, () => {
    const { seats } = cluster;
    if (zonesOf(seats).size < seats.length) seen.push(seats);
  });
  return seen;
}

const zonesOf = (seats: readonly EngineProcess[]): ReadonlySet<string> => new Set(seats.map(({ zone }) => zone));

interface Seating extends Pick<Story, 'says' | 'spec' | 'counts'> {
  readonly seats: number;
  /** Of each of these roles one that has a seat is put on this list of the spec, all at once. */
  readonly leave: Readonly<Record<string, string>>;
  readonly configuration?: object;
}

const handedOn = ({ seats: count, leave, configuration = {}, ...story }: Seating): Story => ({
  ...story,
  goes: async (cluster) => {
    const [farewells, broken, crowded] = [watchDeletes(cluster), watchQuorum(cluster), watchSpread(cluster)];
    expect(cluster.database.parts().state.configuration).toMatchObject(configuration);
    const leaving = cluster.seats.filter(
      (seat, index, all) => seat.role in leave && all.findIndex(({ role }) => role === seat.role) === index,
    );
    const ids = leaving.map(({ group }) => group ?? '');
    expect(ids).toHaveLength(Object.keys(leave).length);
    expect(zonesOf(cluster.seats).size).toBe(count);
    await cluster.change(Object.fromEntries(leaving.map(({ role, group }) => [leave[role], [group]])));
    for (const id of ids) await cluster.isGone(id);
    await cluster.settles();
    expect([...farewells.keys()].sort()).toEqual([...ids].sort());
    for (const { group, address } of leaving) {
      const { seats = [], mounted } = farewells.get(group ?? '') ?? {};
      expect(seats.map((seat) => seat.address)).not.toContain(address);
      expect(seats.map((seat) => seat.address).sort()).toEqual([...(mounted ?? [])].sort());
      expect([seats.length, zonesOf(seats).size]).toEqual([count, count]);
    }
    expect([cluster.seats.length, zonesOf(cluster.seats).size]).toEqual([count, count]);
    await eventually(async () => {
      const notes = (await cluster.events('IsCoordinator')).map(({ note = '' }) => note);
      for (const id of ids) expect(notes).toContainEqual(expect.stringContaining(id));
    });
    expect(broken).toEqual([]);
    expect(crowded).toEqual([]);
    await cluster.lostNothing();
  },
});

/** The logs, which coordinate before all others, are on two nodes only: whoever took the next log for a free seat would put two into one zone. */
const crowdedLogs = template(
  sharedPool,
  {},
  {
    affinity: {
      ...apart,
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['n1', 'n2'] }] },
          ],
        },
      },
    },
  },
);

const promptly = { automationOptions: { waitBetweenRemovalsSeconds: 0 } };
const many = { storage: 6, log: 4, stateless: 1 };

const rows: readonly Seating[] = [
  {
    says: 'coordinators are changed before one of them leaves, and the new one is in a zone without one',
    spec: { ...promptly, roles: roles(sharedPool, undefined, { log: { template: crowdedLogs } }) },
    seats: 3,
    leave: { storage: 'processGroupsToRemove' },
  },
  {
    says: 'two of five coordinators leave at once, one without exclusion, from a database as the spec asks for it',
    counts: many,
    spec: {
      ...promptly,
      engine: {
        type: 'foundationdb',
        version: '7.3.63',
        foundationdb: { redundancyMode: 'triple', storageEngine: 'ssd-redwood-1' },
      },
    },
    seats: 5,
    leave: { storage: 'processGroupsToRemove', log: 'processGroupsToRemoveWithoutExclusion' },
    configuration: { redundancyMode: 'triple', storageEngine: 'ssd-redwood-1' },
  },
];

export const seating: readonly Story[] = rows.map(handedOn);
