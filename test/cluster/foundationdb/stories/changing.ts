import { expect } from 'vitest';
import type { ProcessGroupStatus } from '../../../../src/api/v1alpha1/process-group.schema.ts';
import type { JsonObject } from '../../../../src/embedded/api-server/json.ts';
import { listAt, textAt } from '../../../../src/embedded/api-server/json.ts';
import { jsonCodec } from '../../../../src/kube/codec.ts';
import type { KubeObject } from '../../../../src/kube/object.ts';
import { claims, services } from '../../../../src/operator/resources.ts';
import { sharedPool } from '../stage.ts';
import type { Story } from '../story.ts';
import { claim, roles, template, withTwoStateless } from '../story.ts';
import type { StoryCluster } from '../story-cluster.ts';
import { eventually } from '../story-cluster.ts';

/** Everything of one role, changed like this. */
const ofLog = (change: object) => ({ roles: roles(sharedPool, undefined, { log: change }) });
const asking = (cpu: string) => template(sharedPool, { resources: { requests: { cpu } } });
const bigger = ofLog({ volumeClaimTemplate: claim('20Gi') });

interface Spec extends KubeObject {
  readonly spec: {
    readonly clusterIP?: string;
    readonly resources?: { readonly requests?: { readonly storage?: string } };
  };
}

async function list({ stage, namespace }: StoryCluster, of: typeof claims | typeof services): Promise<readonly Spec[]> {
  const options = { namespace, signal: new AbortController().signal };
  return (
    await stage.people.list(
      of,
      jsonCodec<Spec, Spec>((one) => one),
      options,
    )
  ).items;
}

const podsOfLog = (cluster: StoryCluster) => cluster.pods().filter(({ labels }) => labels['drover.dev/role'] === 'log');

interface Forcing {
  readonly what: string;
  readonly before?: object;
  readonly change: object;
  /** Whose process groups are replaced; none: everybody's. */
  readonly role?: string;
  readonly shows: (cluster: StoryCluster) => Promise<void> | void;
}

/** The six changes that only a replacement can follow. */
const forcing: readonly Forcing[] = [
  {
    what: 'the process group id prefix',
    change: { processGroupIDPrefix: 'blue' },
    shows: (cluster) => {
      for (const id of cluster.ids()) expect(id).toMatch(/^blue-/);
    },
  },
  {
    what: 'the public IP source',
    change: { publicIPSource: 'Service' },
    shows: async (cluster) => {
      const known = new Map(
        (await list(cluster, services)).map(({ metadata, spec }) => [metadata.name, spec.clusterIP]),
      );
      expect(known.size).toBe(cluster.ids().length);
      for (const { processGroupID, addresses } of cluster.rows())
        expect(addresses).toEqual([`${known.get(`orders-${processGroupID}`)}:4501`]);
    },
  },
  {
    what: 'the number of processes in a pod',
    change: ofLog({ processesPerPod: 2 }),
    role: 'log',
    shows: ({ database }) => {
      expect(database.whole().processes.filter(({ role }) => role === 'log')).toHaveLength(6);
    },
  },
  {
    what: 'the node selector',
    change: ofLog({
      template: template(
        sharedPool,
        {},
        { nodeSelector: { 'example.com/pool': sharedPool, 'kubernetes.io/os': 'linux' } },
      ),
    }),
    role: 'log',
    shows: (cluster) => {
      for (const { object } of podsOfLog(cluster))
        expect(object).toMatchObject({ spec: { nodeSelector: { 'kubernetes.io/os': 'linux' } } });
    },
  },
  {
    what: 'the volume claim',
    change: bigger,
    role: 'log',
    shows: async (cluster) => {
      const ofLogs = (await list(cluster, claims)).filter(
        ({ metadata }) => metadata.labels?.['drover.dev/role'] === 'log',
      );
      expect(ofLogs.map(({ spec }) => spec.resources?.requests?.storage)).toEqual(['20Gi', '20Gi', '20Gi']);
    },
  },
  {
    what: 'the resources, upwards, where that is asked for',
    before: { replaceInstancesWhenResourcesChange: true, ...ofLog({ template: asking('10m') }) },
    change: ofLog({ template: asking('11m') }),
    role: 'log',
    shows: (cluster) => {
      for (const { object } of podsOfLog(cluster))
        expect(object).toMatchObject({ spec: { containers: [{ resources: { requests: { cpu: '11m' } } }] } });
    },
  },
];

const forced = ({ what, before, change, role = '', shows }: Forcing): Story => ({
  says: `a change of ${what} replaces exactly the process groups of the role, all at once`,
  // Delete, so that nothing is replaced that the change does not force to be.
  spec: { ...before, automationOptions: { podUpdateStrategy: 'Delete', waitBetweenRemovalsSeconds: 0 } },
  goes: async (cluster) => {
    const [all, old, pods] = [cluster.ids(), cluster.ids(role), cluster.uids()];
    await cluster.change(change);
    for (const id of old) await cluster.isGone(id);
    await cluster.settles();
    expect(cluster.everMarked()).toEqual([...old].sort());
    // All at once, unless maxConcurrentReplacements says otherwise.
    expect(cluster.mostInFlight()).toBe(old.length);
    expect(cluster.remadeSince(pods)).toEqual([...old].sort());
    expect(cluster.ids()).toHaveLength(all.length);
    await cluster.tells('Misconfigured', ...old.map(() => 'Mark Normal'));
    await shows(cluster);
    await cluster.lostNothing();
  },
});

const everyRole = ['log', 'stateless', 'storage'];
const image = 'foundationdb:7.3.69';

const rolledOut = (
  podUpdateStrategy: 'Replace' | 'ReplaceTransactionSystem' | 'Delete',
  replaced: readonly string[],
): Story => ({
  says: `podUpdateStrategy ${podUpdateStrategy}: another image replaces ${replaced.join(', ') || 'nothing'}, and the rest is made again`,
  counts: withTwoStateless,
  spec: { automationOptions: { podUpdateStrategy, waitBetweenRemovalsSeconds: 0 } },
  goes: async (cluster) => {
    const before = cluster.rows();
    const of = (wanted: readonly string[]) =>
      before
        .filter(({ role }) => wanted.includes(role))
        .map(({ processGroupID }) => processGroupID)
        .sort();
    const pods = cluster.pods();
    const changed = Object.fromEntries(everyRole.map((role) => [role, { template: template(sharedPool, { image }) }]));
    await cluster.change({ roles: roles(sharedPool, withTwoStateless, changed) });
    await eventually(() => {
      expect(cluster.pods().filter(({ object }) => imageOf(object) !== image)).toEqual([]);
      expect(cluster.pods()).toHaveLength(before.length);
    });
    await cluster.settles();
    expect(cluster.everMarked()).toEqual(of(replaced));
    const stayed = of(everyRole.filter((role) => !replaced.includes(role)));
    expect(
      cluster
        .ids()
        .filter((id) => of(everyRole).includes(id))
        .sort(),
    ).toEqual(stayed);
    for (const id of stayed)
      expect(cluster.pod(id)?.claims).toEqual(pods.find(({ name }) => name === `orders-${id}`)?.claims);
    await expectTold(cluster, of(replaced), stayed);
    await cluster.lostNothing();
  },
});

/** Everything that was done about them was told as an event, and counted by its reason. */
async function expectTold(cluster: StoryCluster, replaced: readonly string[], remade: readonly string[]) {
  const each = (what: string) => replaced.map(() => what);
  await cluster.tells('Misconfigured', ...each('Mark Normal'));
  await cluster.tells('Removed', ...each('Remove Normal'));
  const notes = await cluster.tells('PodOutdated', ...remade.map(() => 'Recreate Normal'));
  expect([...notes].sort()).toEqual(remade.map((id) => `${id} is made again: its pod differs from the spec`));
  const decisions = await cluster.decisions();
  const counted = ['marked Misconfigured', 'evacuating Leaving', 'removing Removed'].map((one) => decisions[one] ?? 0);
  expect(counted).toEqual(counted.map(() => replaced.length));
  // Its pod may be found to be another one at the last moment, and is then deleted at the next look.
  expect(decisions['delete-pod PodOutdated'] ?? 0).toBeGreaterThanOrEqual(remade.length);
}

const imageOf = (pod: JsonObject): string => textAt(listAt(pod, 'spec', 'containers')[0], 'image');

/** How these process groups were when the first of them was marked: marked, or waiting for their turn. */
function whenFirstMarked(cluster: StoryCluster, ids: readonly string[]): readonly (string | undefined)[] {
  const isMarked = (row: ProcessGroupStatus) => row.removalTimestamp !== null;
  const moments = cluster.history.map(({ status }) =>
    status.processGroups.filter(({ processGroupID }) => ids.includes(processGroupID)),
  );
  const then = moments.find((rows) => rows.some(isMarked)) ?? [];
  const code = 'MisconfiguredCap';
  return then.map((row) => (isMarked(row) ? 'marked' : row.waitingFor.find((wait) => wait.code === code)?.code));
}

export const changing: readonly Story[] = [
  ...forcing.map(forced),
  rolledOut('Replace', everyRole),
  rolledOut('ReplaceTransactionSystem', ['log', 'stateless']),
  rolledOut('Delete', []),
  {
    says: 'a template that the API server refuses: no pod is deleted for it, and its words are told; corrected, it is rolled out',
    spec: { automationOptions: { podUpdateStrategy: 'Delete', waitBetweenRemovalsSeconds: 0 } },
    goes: async (cluster) => {
      const [storage, pods] = [cluster.ids('storage'), cluster.uids()];
      const ofStorage = (limit: string) => {
        const resources = { requests: { cpu: '20m' }, limits: { cpu: limit } };
        return { roles: roles(sharedPool, undefined, { storage: { template: template(sharedPool, { resources }) } }) };
      };
      await cluster.change(ofStorage('10m'));
      await eventually(() => {
        const waits = cluster.rows('storage').flatMap(({ waitingFor }) => waitingFor);
        expect(waits.find(({ code }) => code === 'ObjectRefused')?.message).toMatch(
          /^storage-\d+ keeps its old pod: the API server refuses it: .* must be less than or equal to cpu limit/,
        );
      });
      await cluster.pass(120);
      expect(cluster.remadeSince(pods)).toEqual([]);
      await cluster.change(ofStorage('20m'));
      await eventually(() => expect(cluster.remadeSince(pods)).toEqual([...storage].sort()));
      await cluster.settles();
      await cluster.lostNothing();
    },
  },
  {
    says: 'a template whose pods crash: the rollout stops at the first, which says why in the words of the kubelet; repaired, it goes on',
    spec: { automationOptions: { podUpdateStrategy: 'Delete', waitBetweenRemovalsSeconds: 0 } },
    goes: async (cluster) => {
      const [storage, pods] = [cluster.ids('storage'), cluster.uids()];
      const crashing = { metadata: { annotations: { 'fake.drover.dev/fail': 'crash-loop' } } };
      const ofStorage = (name: string, change: object = {}) => {
        const changed = { ...template(sharedPool, { image: name }), ...change };
        return { roles: roles(sharedPool, undefined, { storage: { template: changed } }) };
      };
      await cluster.change(ofStorage('foundationdb:mistyped', crashing));
      await eventually(() => {
        const [broken = '', ...more] = cluster.remadeSince(pods);
        expect(more).toEqual([]);
        const why = cluster.row(broken)?.waitingFor.find(({ code }) => code === 'PodBroken')?.message;
        expect(why).toBe(`${broken} does not come up: foundationdb ended with exit code 1`);
      });
      await cluster.pass(120);
      expect(cluster.remadeSince(pods)).toHaveLength(1);
      expect(cluster.database.truth()).toMatchObject({ lost: [], unavailable: [], brokenQuorums: [] });
      await cluster.change(ofStorage(image));
      await eventually(() => expect(cluster.remadeSince(pods)).toEqual([...storage].sort()));
      await cluster.settles();
      expect(cluster.pods().filter(({ object }) => imageOf(object) === image)).toHaveLength(storage.length);
      await cluster.lostNothing();
    },
  },
  {
    says: 'maxConcurrentReplacements 1: one of three misconfigured ones at a time, and the others say so',
    spec: { automationOptions: { maxConcurrentReplacements: 1, waitBetweenRemovalsSeconds: 0 } },
    goes: async (cluster) => {
      const old = cluster.ids('log');
      await cluster.change(bigger);
      for (const id of old) await cluster.isGone(id);
      await cluster.settles();
      expect(cluster.mostInFlight()).toBe(1);
      expect(whenFirstMarked(cluster, old)).toEqual(['marked', 'MisconfiguredCap', 'MisconfiguredCap']);
      await cluster.lostNothing();
    },
  },
  ...[
    { cap: {}, most: 1 },
    { cap: { maxConcurrentReplacements: 2 }, most: 2 },
  ].map(
    ({ cap, most }): Story => ({
      says: `replacements.maxConcurrentReplacements ${JSON.stringify(cap)}: ${most} of two failed ones at once`,
      spec: { automationOptions: { waitBetweenRemovalsSeconds: 0 } },
      automatic: { failureDetectionTimeSeconds: 200, ...cap },
      goes: async (cluster) => {
        const failed = cluster.ids('storage').slice(0, 2);
        // Their containers are no longer ready, and their processes serve on: there is nothing to lose.
        await Promise.all(failed.map((id) => cluster.fares(id, { ready: 'false' })));
        for (const id of failed) await cluster.isGone(id);
        await cluster.settles();
        expect(cluster.everMarked()).toEqual([...failed].sort());
        expect(cluster.mostInFlight()).toBe(most);
        await cluster.tells('ReplacementCap', ...(most === 1 ? ['Wait Normal'] : []));
        await cluster.lostNothing();
      },
    }),
  ),
];
