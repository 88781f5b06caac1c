import { globSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import type { Cluster } from '../../../tools/control-plane/cluster.ts';
import { startCluster } from '../../../tools/control-plane/cluster.ts';
import { OperatorProcess } from '../operator-process.ts';
import { DatabaseOnPods } from './database-on-pods.ts';

let cluster: Cluster;
let kubeconfig: string;
let operator: OperatorProcess;
const databases: DatabaseOnPods[] = [];

const template = { spec: { containers: [{ name: 'foundationdb', image: 'foundationdb:7.3.63' }] } };
const volumeClaimTemplate = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

/** A StatefulCluster of the tests: a namespace may have several. */
interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** Six pods and five claims. One copy of everything: no zone may fail, so nothing is ever emptied before its successor is up. */
async function create(place: Place, publicIPSource: 'Pod' | 'Service' = 'Pod'): Promise<void> {
  const database = await DatabaseOnPods.start(cluster, place.name);
  databases.push(database);
  const foundationdb = { redundancyMode: 'single', fdbcli: { runIn: 'Operator', path: database.fdbcli } };
  const roles = [
    { name: 'storage', count: 3, template, volumeClaimTemplate },
    { name: 'log', count: 2, template, volumeClaimTemplate },
    { name: 'stateless', count: 1, template },
  ];
  await cluster.apply(
    stringify({
      apiVersion: 'drover.dev/v1alpha1',
      kind: 'StatefulCluster',
      metadata: place,
      spec: { engine: { type: 'foundationdb', version: '7.3.63', foundationdb }, roles, publicIPSource },
    }),
  );
}

/** Limits a namespace to what these have and one successor, and to so many services. */
async function limit(places: readonly Place[], services?: number): Promise<void> {
  const [{ namespace } = { namespace: '' }] = places;
  const hard = {
    pods: `${6 * places.length + 1}`,
    persistentvolumeclaims: `${5 * places.length + 1}`,
    ...(services !== undefined && { services: `${services}` }),
  };
  const metadata = { namespace, name: 'shared' };
  await cluster.apply(stringify({ apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard } }));
  const counted = async () => (await cluster.read(`/api/v1/namespaces/${namespace}/resourcequotas/shared`)).status;
  await expect.poll(counted, within).toMatchObject({ hard, used: { pods: expect.any(String) } });
}

/** Asks of each to replace its first storage server. Gives which those are. */
async function replaceFirstOfEach(places: readonly Place[]): Promise<readonly string[]> {
  const first = async (place: Place) =>
    (await storageOf(place)).find(({ removalTimestamp }) => removalTimestamp === undefined);
  const asked = await Promise.all(places.map(async (place) => (await first(place))?.processGroupID ?? ''));
  for (const [index, { namespace, name }] of places.entries()) {
    const body = JSON.stringify({ spec: { processGroupsToRemove: [asked[index]] } });
    await cluster.kubectl(['patch', 'statefulcluster', name, '-n', namespace, '--type=merge', '-p', body]);
  }
  return asked;
}

beforeAll(async () => {
  cluster = await startCluster({ nodes: 6, zones: 3, exec: true });
  for (const file of globSync('deploy/crds/*.yaml')) await cluster.apply(readFileSync(file, 'utf8'));
  await cluster.kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
  await cluster.apply(readFileSync('deploy/rbac.yaml', 'utf8'));
  await cluster.kubectl(['create', 'namespace', 'crowded']);
  kubeconfig = await cluster.kubeconfigFor({ namespace: 'drover', serviceAccount: 'drover', seconds: 3600 });
  operator = startOperator();
});
afterAll(async () => {
  operator?.kill('SIGKILL');
  for (const database of databases) await database.stop();
  await cluster?.stop();
});

const startOperator = () =>
  new OperatorProcess(['--kubeconfig', kubeconfig, '--health-port', '0', '--webhook-port', '0']);

interface Status {
  readonly counts: { readonly leaving: number };
  readonly processGroups: readonly {
    readonly processGroupID: string;
    readonly role: string;
    readonly removalTimestamp?: string;
    readonly conditions: readonly { readonly type: string }[];
    readonly waitingFor: readonly { readonly message: string }[];
  }[];
  readonly conditions: readonly { readonly type: string; readonly status: string }[];
}

async function statusOf({ namespace, name }: Place): Promise<Partial<Status>> {
  return (
    (await cluster.read(`/apis/drover.dev/v1alpha1/namespaces/${namespace}/statefulclusters/${name}`)).status ?? {}
  );
}

async function stateOf(place: Place): Promise<object> {
  const { conditions = [], counts } = await statusOf(place);
  return { ready: conditions.find(({ type }) => type === 'Ready')?.status, leaving: counts?.leaving };
}

const settled = { ready: 'True', leaving: 0 };
const within = { timeout: 60_000, interval: 500 };
const areSettled = (places: readonly Place[]) =>
  expect.poll(() => Promise.all(places.map(stateOf)), within).toEqual(places.map(() => settled));

const storageOf = async (place: Place) =>
  ((await statusOf(place)).processGroups ?? []).filter(({ role }) => role === 'storage');

const wait = async (place: Place) => (await storageOf(place)).flatMap(({ waitingFor }) => waitingFor)[0]?.message;

/** The pods and claims of a namespace: a process group is on record until the engine has forgotten it, which takes ten quiet minutes more. */
const present = async (namespace: string) =>
  (await cluster.kubectl(['get', 'pods,pvc', '-n', namespace, '-o', 'name'])).stdout;

function nothingIsLost(): void {
  for (const { database } of databases) {
    expect(database.truth()).toEqual({ lost: [], unavailable: [], brokenQuorums: [] });
  }
}

test('three clusters on a full quota take turns, and nothing is ever refused', async () => {
  const places = ['first', 'second', 'third'].map((name) => ({ namespace: 'default', name }));
  const [first, second, third] = places;
  if (first === undefined || second === undefined || third === undefined) throw new Error('there are three');
  for (const place of places) await create(place);
  await areSettled(places);
  await limit(places);
  const asked = await replaceFirstOfEach(places);
  const ahead =
    /exceeded quota: shared, limited: persistentvolumeclaims=16,pods=19; storage-\d+ of default\/first is ahead/;
  await expect.poll(() => wait(second), within).toMatch(ahead);
  await expect.poll(() => wait(third), within).toMatch(ahead);
  // The next has its turn as soon as the pod and the claim of the one before are gone; that the last one ends is shown where time costs nothing.
  for (const [place, [before, index]] of [
    [second, ['first', 0]],
    [third, ['second', 1]],
  ] as const) {
    const begun = async () => (await storageOf(place)).length > 3;
    await expect.poll(begun, { timeout: 60_000, interval: 200 }).toBe(true);
    expect(await present('default')).not.toContain(`${before}-${asked[index]}`);
  }
  await areSettled([first]);
  expect(operator.output).not.toContain('exceeded quota');
  nothingIsLost();
});

describe('two of which the one has to wait for a service before it can have the last pod', () => {
  const half = { namespace: 'crowded', name: 'half' };
  const other = { namespace: 'crowded', name: 'other' };

  test('end both, one after the other', async () => {
    await create(half, 'Service');
    await create(other);
    await areSettled([half, other]);
    await limit([half, other], 6);
    const [first = ''] = await replaceFirstOfEach([half]);
    await expect.poll(() => wait(half), within).toMatch(/exceeded quota: shared, limited: .*services=6/);
    const [second = ''] = await replaceFirstOfEach([other]);
    await expect.poll(() => comers(other), within).toEqual({ pods: 1, persistentvolumeclaims: 1 });
    await limit([half, other], 7);
    await expect.poll(() => present('crowded'), { ...within, timeout: 90_000 }).not.toContain(`half-${first}`);
    expect(await present('crowded')).not.toContain(`other-${second}`);
    await areSettled([half, other]);
    nothingIsLost();
  });

  test('are stuck where Drover may not read quotas, each with half of what it needs; and it says so', async () => {
    await operator.stop();
    await forbidQuotas();
    operator = startOperator();
    await areSettled([half, other]);
    await limit([half, other], 6);
    const [first = ''] = await replaceFirstOfEach([half]);
    await expect.poll(() => comers(half), within).toEqual({ pods: 0, persistentvolumeclaims: 1 });
    const [second = ''] = await replaceFirstOfEach([other]);
    await expect.poll(() => comers(other), within).toEqual({ pods: 1, persistentvolumeclaims: 0 });
    await limit([half, other], 7);
    const lack = async (place: Place) => (await storageOf(place)).at(-1)?.conditions.map(({ type }) => type);
    const stuck = [
      ['MissingProcesses', 'MissingPod'],
      ['MissingProcesses', 'MissingPVC', 'PodPending'],
    ];
    const lacks = () => Promise.all([half, other].map(lack));
    await expect.poll(lacks, within).toEqual(stuck);
    await pause(stillStuckAfter);
    expect(await lacks()).toEqual(stuck);
    for (const stays of [`half-${first}`, `other-${second}`]) expect(await present('crowded')).toContain(stays);
    const said = await cluster.kubectl(['get', 'events', '-n', 'crowded', '-o', 'jsonpath={.items[*].message}']);
    expect(said.stdout).toContain('does not take turns with clusters that share its quotas: not allowed to read');
    nothingIsLost();
  });

  /** How many more objects a cluster has than it had at rest. */
  async function comers({ namespace, name }: Place): Promise<object> {
    const selector = ['-n', namespace, '-l', `drover.dev/cluster=${name}`, '-o', 'name'];
    const { stdout } = await cluster.kubectl(['get', 'pods,persistentvolumeclaims', ...selector]);
    const count = (kind: string) => stdout.split('\n').filter((line) => line.startsWith(`${kind}/`)).length;
    return { pods: count('pod') - 6, persistentvolumeclaims: count('persistentvolumeclaim') - 5 };
  }
});

/** Longer than coming up and both replacements took where they did not get in each other's way: 24 s. */
const stillStuckAfter = 30_000;

/** Drover's account, without the right that lets clusters take turns. */
async function forbidQuotas(): Promise<void> {
  for (const document of parseAllDocuments(readFileSync('deploy/rbac.yaml', 'utf8'))) {
    const { rules, ...rest }: { rules?: readonly { readonly resources?: readonly string[] }[] } = document.toJS();
    const fewer = rules?.filter(({ resources = [] }) => !resources.includes('resourcequotas'));
    await cluster.apply(stringify({ ...rest, ...(fewer !== undefined && { rules: fewer }) }));
  }
}
