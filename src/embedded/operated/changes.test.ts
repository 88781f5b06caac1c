import { describe, expect, test } from 'vitest';
import { jsonCodec } from '../../kube/codec.ts';
import type { KubeObject } from '../../kube/object.ts';
import { pods } from '../../kube/resources.ts';
import { claims, services } from '../../operator/resources.ts';
import { foundationdb, key } from './testing/foundationdb-spec.ts';
import type { RunningCluster } from './testing/running-cluster.ts';
import { nothingLost, rolesWith, runningCluster, templateWith } from './testing/running-cluster.ts';

const inNamespace = { namespace: 'db', signal: new AbortController().signal };
const resources = (cpu: string) => templateWith({ resources: { requests: { cpu } } });
const ofLog = (change: object) => ({ roles: rolesWith('log', change) });

const onLocalDisks = { storageClassName: 'local', accessModes: ['ReadWriteOnce'] };
const volumeClaimTemplate = { ...onLocalDisks, resources: { requests: { storage: '20Gi' } } };

describe('a change that only a replacement can follow', () => {
  // Delete, so that nothing is replaced that the change does not force to be.
  const automationOptions = { podUpdateStrategy: 'Delete', waitBetweenRemovalsSeconds: 0 } as const;

  const nodeSelector = { 'kubernetes.io/os': 'linux' };
  const podsHave = (spec: object) => (cluster: RunningCluster) => {
    for (const pod of cluster.world.pods('db'))
      if (pod.labels['drover.dev/role'] === 'log') expect(pod.object).toMatchObject({ spec });
  };

  interface Change {
    readonly before?: object;
    readonly change: object;
    /** Whose process groups are replaced; none: everybody's. */
    readonly role?: string;
    readonly shows: (cluster: RunningCluster) => void | Promise<void>;
  }

  test.each<[string, Change]>([
    [
      'the process group id prefix',
      {
        change: { processGroupIDPrefix: 'blue' },
        shows: async (cluster) => {
          for (const id of await cluster.ids()) expect(id).toMatch(/^blue-/);
        },
      },
    ],
    [
      'the public IP source',
      {
        change: { publicIPSource: 'Service' },
        shows: async (cluster) => {
          const { services: known, addresses } = await publicAddresses(cluster);
          expect(new Set(known.values()).size).toBe(12);
          // Each pod has the address of its own Service, and the database knows it by that.
          expect(addresses).toEqual(known);
          for (const { processGroupID, addresses: told } of await cluster.rows())
            expect(told).toEqual([`${known.get(processGroupID)}:4501`]);
        },
      },
    ],
    [
      'the number of processes in a pod',
      {
        change: ofLog({ processesPerPod: 2 }),
        role: 'log',
        shows: ({ world }) => {
          const { processes } = world.database(key).whole();
          expect(processes.filter(({ role }) => role === 'log')).toHaveLength(8);
        },
      },
    ],
    [
      'the node selector',
      {
        change: ofLog({ template: templateWith({}, { nodeSelector }) }),
        role: 'log',
        shows: podsHave({ nodeSelector }),
      },
    ],
    [
      'the volume claim',
      {
        change: ofLog({ volumeClaimTemplate }),
        role: 'log',
        shows: async (cluster) => {
          const sizes = (await claimsOf(cluster, 'log')).map(({ spec }) => spec.resources.requests.storage);
          expect(sizes).toEqual(['20Gi', '20Gi', '20Gi', '20Gi']);
        },
      },
    ],
    [
      'the resources, upwards, where that is asked for',
      {
        before: { replaceInstancesWhenResourcesChange: true, ...ofLog({ template: resources('1') }) },
        change: ofLog({ template: resources('1001m') }),
        role: 'log',
        shows: podsHave({ containers: [{ resources: { requests: { cpu: '1001m' } } }] }),
      },
    ],
  ])('%s: exactly the process groups of the role are replaced', async (_what, { before, change, role, shows }) => {
    const cluster = await runningCluster({ ...before, automationOptions });
    const [old, pods] = [await cluster.ids(role), cluster.uids()];
    await cluster.change(change);
    await cluster.world.pass(10);
    expect(await cluster.marked()).toEqual(old);
    for (const row of await cluster.rows(role))
      expect(row.removalReason).toBe(row.removalTimestamp === null ? null : 'Misconfigured');
    expect(await cluster.settles(3600)).toBe(true);
    expect(await cluster.ids()).toHaveLength(12);
    expect((await cluster.ids()).filter((id) => old.includes(id))).toEqual([]);
    expect(cluster.remadeSince(pods)).toEqual(old);
    expect(cluster.truth()).toEqual(nothingLost);
    expect(cluster.world.errors).toEqual([]);
    await shows(cluster);
  });

  test('the public IP source, back to Pod: the Services go with the process groups that had them', async () => {
    const cluster = await runningCluster({ publicIPSource: 'Service', automationOptions });
    await cluster.change({ publicIPSource: 'Pod' });
    expect(await cluster.settles(3600)).toBe(true);
    const { services: left, addresses } = await publicAddresses(cluster);
    expect([...left.keys()]).toEqual([]);
    expect(new Set(addresses.values())).toEqual(new Set([undefined]));
  });
});

describe('a pod that is lost while its process group waits to be replaced', () => {
  // One after the other, so that the others wait.
  const automationOptions = {
    podUpdateStrategy: 'Delete',
    maxConcurrentReplacements: 1,
    waitBetweenRemovalsSeconds: 0,
  } as const;
  const withoutVolume = foundationdb.roles.map(({ volumeClaimTemplate: volume, ...role }) =>
    role.name === 'log' || volume === undefined ? role : { ...role, volumeClaimTemplate: volume },
  );

  test.each([
    ['the public IP source', { publicIPSource: 'Service' }, { publicIPSource: 'Pod' }],
    ['the number of processes in a pod', ofLog({ processesPerPod: 2 }), ofLog({ processesPerPod: 1 })],
    ['that there is a volume at all', {}, { roles: withoutVolume }],
    ['the node selector', {}, ofLog({ template: templateWith({}, { nodeSelector: { 'kubernetes.io/os': 'linux' } }) })],
  ] as const)('is made as it was: %s', async (_what, before, change) => {
    const cluster = await runningCluster({ ...before, automationOptions });
    const old = await cluster.ids('log');
    const made = (id: string) => {
      const { annotations = {}, object } = cluster.pod(id) ?? {};
      const { containers, volumes, nodeSelector } = Object(object).spec;
      return { address: annotations['drover.dev/public-ip'], env: containers[0].env, volumes, nodeSelector };
    };
    await cluster.change(change);
    await cluster.world.pass(10);
    const id = old.find((one) => one !== old[0]) ?? '';
    expect(await cluster.marked('log')).not.toContain(id);
    const [was, uid] = [made(id), cluster.pod(id)?.uid];
    await cluster.world.people.delete(pods, { namespace: 'db', name: `orders-${id}` }, inNamespace);
    const isBack = () => cluster.pod(id)?.uid !== uid && cluster.pod(id)?.phase === 'Running';
    expect(await cluster.world.until(isBack, 60)).toBe(true);
    expect(made(id)).toEqual(was);
    expect(await cluster.settles(7200)).toBe(true);
    expect((await cluster.ids('log')).filter((one) => old.includes(one))).toEqual([]);
    expect(cluster.truth()).toEqual(nothingLost);
    expect(cluster.world.errors).toEqual([]);
  });
});

describe('a change that does not force a replacement', () => {
  const automationOptions = { podUpdateStrategy: 'Delete' } as const;
  const cpu = (amount: string) => ({ template: resources(amount) });
  const inAnotherOrder = { resources: { requests: { storage: '10Gi' } }, ...onLocalDisks };

  test.each([
    ['the resources, upwards, where nobody asked for it', ofLog(cpu('1')), ofLog(cpu('2')), true],
    [
      'the resources, downwards, where only upwards counts',
      { replaceInstancesWhenResourcesChange: true, ...ofLog(cpu('2')) },
      ofLog(cpu('1')),
      true,
    ],
    ['the image', {}, ofLog({ template: templateWith({ image: 'foundationdb:7.3.69' }) }), true],
    ['the order of words in the volume claim', {}, ofLog({ volumeClaimTemplate: inAnotherOrder }), false],
    ['how much may be done at once', {}, { maxZonesWithUnavailablePods: 2 }, false],
  ])('%s: nothing is replaced', async (_what, before, change, isRemade) => {
    const cluster = await runningCluster({ ...before, automationOptions });
    const [ids, log, pods] = [await cluster.ids(), await cluster.ids('log'), cluster.uids()];
    await cluster.change(change);
    expect(await cluster.settles(1800)).toBe(true);
    expect(await cluster.ids()).toEqual(ids);
    expect(cluster.remadeSince(pods)).toEqual(isRemade ? log : []);
    expect(cluster.truth()).toEqual(nothingLost);
  });

  test('one more of a role: it is added, and nothing else happens', async () => {
    const cluster = await runningCluster({ automationOptions });
    const [ids, pods] = [await cluster.ids(), cluster.uids()];
    await cluster.change(ofLog({ count: 5 }));
    expect(await cluster.settles(300)).toBe(true);
    expect((await cluster.ids()).filter((id) => !ids.includes(id))).toHaveLength(1);
    expect(await cluster.ids('log')).toHaveLength(5);
    expect(cluster.remadeSince(pods)).toEqual([]);
  });
});

describe('any other change of the template is rolled out as podUpdateStrategy says', () => {
  const all = ['log', 'stateless', 'storage'];
  test.each([
    ['Replace', all, []],
    ['ReplaceTransactionSystem', ['log', 'stateless'], ['storage']],
    ['Delete', [], all],
    // As FoundationDB's own operator has it.
    [undefined, ['log', 'stateless'], ['storage']],
  ] as const)('%s: replaced %j, made again %j', async (podUpdateStrategy, replaced, madeAgain) => {
    const automationOptions = { ...(podUpdateStrategy && { podUpdateStrategy }), waitBetweenRemovalsSeconds: 0 };
    const cluster = await runningCluster({ automationOptions });
    const before = await cluster.rows();
    const of = (roles: readonly string[]) =>
      before.filter(({ role }) => roles.includes(role)).map(({ processGroupID }) => processGroupID);
    const pods = cluster.world.pods('db');
    const image = 'foundationdb:7.3.69';
    const roles = foundationdb.roles.map((role) => ({ ...role, template: templateWith({ image }) }));
    await cluster.change({ roles });
    await cluster.world.pass(5);
    expect(await cluster.marked()).toEqual(of(replaced));
    expect(await cluster.settles(6 * 3600)).toBe(true);
    expect((await cluster.ids()).filter((id) => of(all).includes(id))).toEqual(of(madeAgain));
    for (const pod of cluster.world.pods('db')) {
      expect(pod.object).toMatchObject({ spec: { containers: [{ image }] } });
      const old = pods.find(({ name }) => name === pod.name);
      if (old !== undefined) expect(pod.claims).toEqual(old.claims);
    }
    expect(cluster.truth()).toEqual(nothingLost);
  });
});

interface Addressed extends KubeObject {
  readonly spec: { readonly clusterIP: string };
}

/** The address of each process group's Service, and the one that its pod was given. */
async function publicAddresses({ world }: RunningCluster) {
  const codec = jsonCodec<Addressed, Addressed>((one) => one);
  const { items } = await world.people.list(services, codec, inNamespace);
  const idOf = (name: string) => name.slice('orders-'.length);
  return {
    services: new Map(items.map(({ metadata, spec }) => [idOf(metadata.name), spec.clusterIP])),
    addresses: new Map(world.pods('db').map((pod) => [idOf(pod.name), pod.annotations['drover.dev/public-ip']])),
  };
}

interface Sized extends KubeObject {
  readonly spec: { readonly resources: { readonly requests: { readonly storage: string } } };
}

async function claimsOf({ world }: RunningCluster, role: string): Promise<readonly Sized[]> {
  const codec = jsonCodec<Sized, Sized>((one) => one);
  const { items } = await world.people.list(claims, codec, inNamespace);
  return items.filter(({ metadata }) => metadata.labels?.['drover.dev/role'] === role);
}
