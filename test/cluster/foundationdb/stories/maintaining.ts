import { expect } from 'vitest';
import { nodes } from '../../../../src/kube/resources.ts';
import { sharedPool } from '../stage.ts';
import type { Story } from '../story.ts';
import { roles, template } from '../story.ts';
import type { StoryCluster } from '../story-cluster.ts';
import { eventually } from '../story-cluster.ts';

const image = 'foundationdb:7.3.69';
export const changedStorage = (pool: string) => ({
  roles: roles(pool, undefined, { storage: { template: template(pool, { image }) } }),
});

/** The zone of each storage pod that was told to go, and at that moment: the one on record and the one that the engine was told of. */
interface Farewell {
  readonly zone: string;
  readonly recorded: () => string | undefined;
  readonly told: string | null;
}

/** Sees every storage pod that goes, from now on. */
export function watchFarewells(cluster: StoryCluster): ReadonlyMap<string, Farewell> {
  const seen = new Map<string, Farewell>();
  // Pods and clusters are watched apart, and either watch may be behind the other: what was on record is read later, by the server's own order.
  const recordedBefore = (version: string) => () =>
    cluster.history.findLast((one) => BigInt(one.version) < BigInt(version))?.status.maintenance?.zone;
  cluster.stage.pods.subscribe(({ namespace, labels, deletionTimestamp, uid, version, nodeName: zone }) => {
    const isOurs = namespace === cluster.namespace && labels['drover.dev/role'] === 'storage';
    if (!isOurs || deletionTimestamp === undefined || seen.has(uid)) return;
    seen.set(uid, { zone, recorded: recordedBefore(version), told: cluster.toldZone });
  });
  return seen;
}

export const maintaining: readonly Story[] = [
  {
    says: 'the maintenance mode is on for a zone before its storage pod goes, and off once it is back',
    spec: { automationOptions: { maintenanceModeOptions: { useMaintenanceModeChecker: true } } },
    goes: async (cluster) => {
      const [ids, pods, farewells] = [cluster.ids('storage'), cluster.uids(), watchFarewells(cluster)];
      const zones = cluster.rows('storage').map(({ nodeName }) => nodeName ?? '');
      await cluster.change(changedStorage(sharedPool));
      await eventually(() => expect(cluster.remadeSince(pods)).toEqual([...ids].sort()));
      await cluster.settles();
      await eventually(() => expect(cluster.status.maintenance).toBeNull());
      await eventually(() => expect(cluster.toldZone).toBeNull());
      expect([...farewells.values()].map(({ zone }) => zone).sort()).toEqual([...zones].sort());
      for (const { zone, recorded, told } of farewells.values()) expect([recorded(), told]).toEqual([zone, zone]);
      await cluster.lostNothing();
    },
  },
  {
    says: 'a pod that does not come back: the mode ends when its time is over, and only then the failure counts',
    ownNodes: 9,
    spec: {
      automationOptions: {
        maintenanceModeOptions: { useMaintenanceModeChecker: true, maintenanceModeTimeSeconds: 200 },
      },
    },
    automatic: { failureDetectionTimeSeconds: 100 },
    goes: async (cluster) => {
      const farewells = watchFarewells(cluster);
      for (const { nodeName } of cluster.rows('storage')) {
        const body = { spec: { unschedulable: true } };
        const call = { signal: new AbortController().signal };
        await cluster.stage.people.patch(nodes, { name: nodeName ?? '' }, { type: 'merge', body }, call);
      }
      await cluster.change(changedStorage(cluster.namespace));
      await eventually(() => expect(farewells.size).toBe(1));
      const [farewell] = farewells.values();
      const id = cluster.rows('storage').find(({ nodeName }) => nodeName === farewell?.zone)?.processGroupID ?? '';
      const until = Date.parse(cluster.status.maintenance?.until ?? '');
      await eventually(() => expect(cluster.everMarked()).toEqual([id]));
      // Nobody else was touched, and it was expected to be away until then.
      const missing = cluster.whenMarked(id)?.conditions.find(({ type }) => type === 'MissingProcesses');
      expect(Date.parse(missing?.timestamp ?? '')).toBeGreaterThanOrEqual(until);
      expect(Date.parse(cluster.whenMarked(id)?.removalTimestamp ?? '')).toBeGreaterThanOrEqual(until + 100_000);
      expect(cluster.status.maintenance).toBeNull();
      expect(cluster.toldZone).toBeNull();
      expect(farewells.size).toBe(1);
      await cluster.lostNothing();
    },
  },
];
