import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runDrover } from '../../../src/cli/testing/run-drover.ts';
import { seconds } from '../../../src/kube/clock.ts';
import type { RoleName } from '../../../src/model/ids.ts';
import { name } from '../../../src/model/ids.ts';
import type { OperatorProcess } from '../operator-process.ts';
import type { DrainWorld, StorePod } from './drain-world.ts';
import { isEmbedded, startWorld } from './drain-world.ts';
import type { DrainPlane } from './embedded-plane.ts';
import { numbersAside, unsaid } from './unsaid.ts';

let world: DrainWorld<DrainPlane>;
let operator: OperatorProcess;

beforeAll(async () => {
  world = await startWorld();
  operator = world.operator();
  await operator.says('leading', 60_000);
});
afterAll(() => world?.stop());

/** The how-to that quotes these drains. */
const says = 'what-a-drain-says';
/** Whichever of the two webhooks it is that answers. */
const anyWebhook = (line: string) => numbersAside(line).replace(/webhook "[^"]+"/, 'webhook');
const nothingLost = { lost: [], unavailable: [], brokenQuorums: [] };
const dataMoves = { spec: { drainPolicy: 'block-for-eviction', trigger: 'Eviction' } };
/** So much that it takes a minute to copy, also by a quick clock. */
const heavy = { shards: 3, shardBytes: 2 ** 32 };

async function podsOf(of: string): Promise<readonly [StorePod, StorePod, StorePod]> {
  const [first, second, third] = await world.pods(of);
  if (first === undefined || second === undefined || third === undefined) throw new Error(`${of} has three pods`);
  return [first, second, third];
}

const uidOf = async (of: string, pod: string) => (await world.pods(of)).find((one) => one.name === pod)?.uid;

async function lockOf(of: string): Promise<string> {
  const locked = (await world.status(of)).conditions?.find(({ type }) => type === 'Locked');
  return `${locked?.status} ${locked?.reason}`;
}

describe.concurrent('kubectl drain', () => {
  test('of two nodes at the same moment by two people, where one of three copies is gone: never both', async () => {
    // So much data that the first is not back with it when the other has given up.
    const shape = { ...heavy, replicationFactor: 3, rebuildDelay: seconds(600) };
    const { store } = await world.store('billing', shape);
    const [gone, one, other] = await podsOf('billing');
    store.isolate(name(gone.group));
    await world.until('the loss is seen', async () => (await world.status('billing')).counts?.available === 2);
    // Time for three tries: on a busy machine the first of both may be told that the engine has to be looked at first.
    const drains = await Promise.all([
      world.drain(one.node, 'jane', '--timeout=14s'),
      world.drain(other.node, 'joe', '--timeout=14s'),
    ]);
    expect(drains.map(({ code }) => code).toSorted((a, b) => a - b)).toEqual([0, 1]);
    const held = drains.find(({ code }) => code === 1);
    // How far the others are differs from run to run.
    const alike = (line: string) => numbersAside(line).replace(/ \(shard-#: .*/, '');
    expect(unsaid(says, 'kubectl drain billing-2', `${held?.stderr}`, alike)).toEqual([]);
    expect(store.truth().lost).toEqual([]);
  });

  test('--dry-run=server of one node and of three says what would happen, ends, and writes nothing', async () => {
    await world.store('catalog', dataMoves);
    const before = await world.status('catalog');
    const nodes = (await podsOf('catalog')).map(({ node }) => node);
    for (const some of [nodes.slice(0, 1), nodes]) {
      const { code, stdout, stderr } = await world.drain(some, 'jane', '--dry-run=server');
      expect(code).toBe(0);
      for (const node of some) expect(stdout).toContain(`node/${node} drained (server dry run)`);
      expect(stderr.match(/would be asked to leave, and would wait first/g)).toHaveLength(some.length);
      expect(unsaid(says, 'kubectl drain catalog-1', `${stdout}${stderr}`, numbersAside)).toEqual([]);
    }
    expect(await world.status('catalog')).toEqual({ ...before, health: expect.anything() });
  });

  test('whose caller gives up goes on without it, and passes when it comes back', async () => {
    const { store } = await world.store('search', { ...dataMoves, shardBytes: 2 ** 28 });
    const [{ node, name: pod, uid }] = await podsOf('search');
    const first = await world.drain(node, 'jane', '--timeout=1s');
    expect(first.code).toBe(1);
    const typed = 'kubectl drain search-1 --ignore-daemonsets --delete-emptydir-data';
    expect(unsaid(says, `${typed} --timeout=1s`, first.stderr, numbersAside)).toEqual([]);
    await world.until('the pod has left by itself', async () => (await uidOf('search', pod)) !== uid);
    const second = await world.drain(node, 'jane', '--timeout=60s');
    expect(second.code).toBe(0);
    expect(unsaid(says, typed, second.stdout, numbersAside)).toEqual([]);
    expect(store.truth()).toEqual(nothingLost);
  });

  test('says how far it is, and is undone when it is given up and uncordoned', async () => {
    const { store } = await world.store('orders', { ...dataMoves, ...heavy });
    const [{ node, name: pod, uid, group }] = await podsOf('orders');
    // Time for three tries, as above.
    const { code, stdout, stderr } = await world.drain(node, 'jane', '--timeout=14s');
    expect(code).toBe(1);
    expect(unsaid('drain-a-node', 'kubectl drain orders-1', `${stdout}${stderr}`, numbersAside)).toEqual([]);
    const isLeaving = () => store.whole().processes.some((one) => one.id === group && one.excluded);
    await world.until('its data moves', async () => isLeaving());
    await world.cluster.kubectl(['uncordon', node]);
    await world.until('its data moves no more', async () => !isLeaving() && (await world.isWhole('orders')));
    expect((await world.status('orders')).asks ?? []).toEqual([]);
    expect(await uidOf('orders', pod)).toBe(uid);
  });

  test('of one pod alone begins with the other one of its node as well, which is not let go, and is undone with it', async () => {
    const two = { key: 'kubernetes.io/hostname', operator: 'In', values: ['tickets-1', 'tickets-2'] };
    const terms = { nodeSelectorTerms: [{ matchExpressions: [two] }] };
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } };
    const template = { spec: { affinity, containers: [{ name: 'store', image: 'store:1' }] } };
    const { store } = await world.store('tickets', { ...dataMoves, ...heavy, role: { template } });
    const pods = await podsOf('tickets');
    const isBeside = (one: StorePod) => pods.some((pod) => pod !== one && pod.node === one.node);
    const [first, second] = pods.filter(isBeside);
    if (first === undefined || second === undefined) throw new Error('two of three pods share one of two nodes');
    const selector = `--pod-selector=drover.dev/process-group=${first.group}`;
    expect((await world.drain(first.node, 'jane', selector, '--timeout=6s')).code).toBe(1);
    const leaving = () => store.whole().processes.flatMap(({ id, excluded }) => (excluded === true ? [id] : []));
    await world.until('the data of both moves', async () => leaving().length === 2);
    const asks = (await world.status('tickets')).asks ?? [];
    const times = (uid: string) => asks.find((ask) => ask.uid === uid)?.times;
    expect(times(first.uid)).toBeGreaterThan(0);
    expect(times(second.uid)).toBe(0);
    expect(await uidOf('tickets', second.name)).toBe(second.uid);
    await world.cluster.kubectl(['uncordon', first.node]);
    await world.until('no data moves', async () => leaving().length === 0 && (await world.isWhole('tickets')));
    expect((await world.status('tickets')).asks ?? []).toEqual([]);
    expect(await uidOf('tickets', second.name)).toBe(second.uid);
    expect(store.truth()).toEqual(nothingLost);
  });

  test('that can never pass says so, and so do drover drain and the NodeDrain, in the words of the docs', async () => {
    const role = name<RoleName>('single');
    const nodeSelector = { 'kubernetes.io/hostname': 'wiki-1' };
    const template = { spec: { nodeSelector, containers: [{ name: 'wiki', image: 'wiki:1' }] } };
    const single = { name: role, evictionRequires: ['never'], template };
    await world.store('wiki', { count: 1, replicationFactor: 1, dataRole: role, role: single });
    const [pod] = await world.pods('wiki');
    expect(pod).toMatchObject({ name: 'wiki-single-1', node: 'wiki-1' });
    const dry = await world.drain('wiki-1', 'jane', '--dry-run=server');
    expect({ code: dry.code, stderr: dry.stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('never evicted'),
    });
    // Nobody has asked for it yet, and it is said all the same.
    const ahead = await runDrover(['drain', 'wiki-1', '--dry-run'], { env: { KUBECONFIG: world.cluster.kubeconfig } });
    expect(ahead.exitCode).toBe(4);
    expect(ahead.stdout).toContain('pods of the role single are never evicted');
    const why = await runDrover(['why', 'pod/wiki-single-1', '-n', 'wiki', '-o', 'json'], {
      env: { KUBECONFIG: world.cluster.kubeconfig },
    });
    expect(why.exitCode).toBe(4);
    expect(JSON.parse(why.stdout)).toMatchObject({ pod: 'wiki/wiki-single-1', node: 'wiki-1', answer: 'never' });
    const held = await world.drain('wiki-1', 'jane', '--timeout=1s');
    expect(held.code).toBe(1);
    expect(unsaid('drain-a-node', 'kubectl drain wiki-1', `${held.stdout}${held.stderr}`)).toEqual([]);
    await world.cluster.kubectl(['uncordon', 'wiki-1']);
    const { exitCode, stdout } = await runDrover(['drain', 'wiki-1'], {
      env: { KUBECONFIG: world.cluster.kubeconfig },
    });
    expect(exitCode).toBe(4);
    expect(unsaid('drain-a-node', 'drover drain wiki-1', stdout)).toEqual([]);
    const blocked = 'jsonpath={.status.conditions[?(@.type=="Blocked")].message}';
    const said = await world.cluster.kubectl(['get', 'nodedrain', 'drain-wiki-1', '-o', blocked]);
    expect(unsaid('drain-a-node', 'kubectl get nodedrain drain-wiki-1', said.stdout)).toEqual([]);
    expect(await uidOf('wiki', 'wiki-single-1')).toBe(pod?.uid);
  });

  test('does not chase the pod of the same name that comes after', async () => {
    const storage = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    await world.store('mail', { role: { volumeClaimTemplate: storage } });
    const [{ node, name: pod, uid }] = await podsOf('mail');
    expect((await world.drain(node, 'jane', '--timeout=60s')).code).toBe(0);
    const isBack = async () => (await world.pods('mail')).some((one) => one.name === pod && one.ready);
    await world.until('it is back elsewhere', async () => (await isBack()) && (await world.isWhole('mail')));
    const after = await uidOf('mail', pod);
    expect(after).not.toBe(uid);
    const late = await world.evict('mail', pod, 'jane');
    expect(unsaid(says, 'kubectl create --raw', late.stderr, numbersAside)).toEqual([]);
    expect(await uidOf('mail', pod)).toBe(after);
  });

  test('meets the budget of somebody else: said, obeyed, and never two budgets on a pod', async () => {
    await world.store('shop');
    const [{ node, name: pod, uid }] = await podsOf('shop');
    const selector = { matchLabels: { 'drover.dev/cluster': 'shop' } };
    const metadata = { name: 'chart', namespace: 'shop' };
    const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata };
    await world.cluster.apply({ ...budget, spec: { minAvailable: 3, selector } });
    await world.until('it is said', async () => (await lockOf('shop')) === 'False ForeignBudget');
    const held = await world.drain(node, 'jane', '--timeout=9s');
    expect(held.code).toBe(1);
    expect(held.stderr).not.toContain('more than one PodDisruptionBudget');
    // One of both, or each in turn.
    expect(unsaid(says, 'kubectl drain shop-1', held.stderr, anyWebhook).length).toBeLessThan(2);
    const message = 'jsonpath={.status.conditions[?(@.type=="Locked")].message}';
    const locked = await world.cluster.kubectl(['get', 'statefulcluster', 'shop', '-n', 'shop', '-o', message]);
    expect(unsaid(says, 'kubectl get statefulcluster shop', locked.stdout)).toEqual([]);
    expect(await uidOf('shop', pod)).toBe(uid);
    await world.cluster.kubectl(['delete', 'pdb', '-n', 'shop', 'chart']);
    await world.until('the lock is back', async () => (await lockOf('shop')) === 'True BudgetsInPlace');
    expect((await world.drain(node, 'jane', '--timeout=60s')).code).toBe(0);
  });
});

// In memory there are no rights to go by.
if (!isEmbedded)
  describe.concurrent('a pod that is forced by name', () => {
    test('by whom the documented role permits it goes in spite of the rules, on record; an editor may not', async () => {
      const { store } = await world.store('forced', { ...dataMoves, ...heavy });
      const [{ node, name: pod, uid, group }] = await podsOf('forced');
      const as = (account: string) => ['-n', 'forced', '--as', `system:serviceaccount:forced:${account}`];
      const bind = (account: string, role: string) => {
        const args = ['create', 'rolebinding', `${account}-${role.replace('=', '-')}`, `--${role}`, '-n', 'forced'];
        return world.cluster.kubectl([...args, `--serviceaccount=forced:${account}`]);
      };
      const short = ['create', 'role', 'may-force', '--verb=override', '--resource=guards.drover.dev', '-n', 'forced'];
      expect((await world.cluster.kubectl(short)).code).toBe(1);
      const role = /^```yaml\n([^`]+override[^`]+)^```$/m.exec(
        readFileSync('docs/how-to/drain-a-node.md', 'utf8'),
      )?.[1];
      await world.cluster.apply(role?.replaceAll('orders', 'forced') ?? 'the how-to has no role');
      for (const account of ['editor', 'sre']) {
        await world.cluster.kubectl(['create', 'serviceaccount', account, '-n', 'forced']);
        await bind(account, 'clusterrole=edit');
      }
      await bind('sre', 'role=may-force');
      const force = (account: string) =>
        world.cluster.kubectl(['annotate', 'pod', pod, `drover.dev/force=${uid} the disk is dead`, ...as(account)]);
      expect((await force('editor')).stderr).toContain('only those who may override guards.drover.dev force a pod');
      // The rules say no, and nobody has asked so far.
      expect((await world.drain(node, 'jane', '--dry-run=server')).stderr).toContain('would wait first');
      await world.until('the role is known', async () => (await force('sre')).code === 0, 10);
      const granted = world.granted('forced', uid);
      await world.evict('forced', pod, { namespace: 'forced', serviceAccount: 'sre' });
      const by = 'system:serviceaccount:forced:sre';
      const reason = `forced by the annotation drover.dev/force ("the disk is dead"), evicted by ${by}`;
      expect(await granted).toMatchObject({ askedBy: by, exemption: { by: 'drover.dev/force', reason } });
      await world.until('it is gone', async () => (await uidOf('forced', pod)) !== uid);
      expect(store.truth().lost).toEqual([]);
      const events = async () => (await world.cluster.read('/apis/events.k8s.io/v1/namespaces/forced/events')).items;
      const told = { type: 'Warning', reason: 'Forced', action: 'LetGo', note: `${group} may go: ${reason}` };
      await vi.waitFor(async () => expect(await events()).toContainEqual(expect.objectContaining(told)), 20_000);
    });
  });

/** The NodeDrain of one node. */
interface DrainOfOne {
  readonly phase?: string;
  readonly nodes?: readonly {
    readonly phase: string;
    readonly waiting?: readonly { readonly pod: string; readonly reasons: readonly { readonly message: string }[] }[];
  }[];
}

const drainStatus = async (of: string): Promise<DrainOfOne> =>
  (await world.cluster.read(`/apis/drover.dev/v1alpha1/nodedrains/${of}`)).status ?? {};

const beginDrain = (of: string, node: string) =>
  world.cluster.apply({
    apiVersion: 'drover.dev/v1alpha1',
    kind: 'NodeDrain',
    metadata: { name: of },
    spec: { nodes: [node] },
  });

/** What the drain says of a pod whose data is on its way, with how far it is; undefined: it says something else, or nothing. */
const movingIn = ({ nodes }: DrainOfOne, pod: string): string | undefined =>
  nodes?.[0]?.waiting
    ?.find((one) => one.pod === pod)
    ?.reasons.map(({ message }) => message)
    .find((message) =>
      /^shard-\d stays: \d cop(y|ies) must move away first, next shard s\d; .* \d+ % of /.test(message),
    );

const isBegun = ({ phase = 'Pending' }: DrainOfOne): boolean => phase !== 'Pending';

const isCordoned = async (node: string) =>
  (await world.cluster.read(`/api/v1/nodes/${node}`)).spec.unschedulable === true;

const evacuating = async (of: string) =>
  (await world.status(of)).processGroups?.filter(({ evacuationTimestamp = null }) => evacuationTimestamp !== null);

describe.concurrent('a NodeDrain of a node with data that has to move', () => {
  test('shows how far it is, and is completed when the data is elsewhere and the pod gone', async () => {
    const { store } = await world.store('planned', { ...dataMoves, shardBytes: 2 ** 29 });
    const [{ node, name: pod, uid }] = await podsOf('planned');
    await beginDrain('planned', node);
    const phases: string[] = [];
    const moving = new Set<string>();
    await world.until('it is completed', async () => {
      const status = await drainStatus('planned');
      const phase = `${status.phase} ${status.nodes?.[0]?.phase}`;
      if (isBegun(status) && phases.at(-1) !== phase) phases.push(phase);
      const far = movingIn(status, `planned/${pod}`);
      if (far !== undefined) moving.add(far);
      if (phase !== 'Completed Drained') return false;
      // It is not said before it is so.
      expect(await uidOf('planned', pod)).not.toBe(uid);
      return true;
    });
    expect(phases).toEqual(['Draining Draining', 'Completed Drained']);
    expect(moving.size).toBeGreaterThan(1);
    expect(await isCordoned(node)).toBe(true);
    await world.until('it is whole again', () => world.isWhole('planned'));
    expect(store.truth()).toEqual(nothingLost);
  });

  test('is taken back in the middle by deleting it: nothing stays excluded, and nobody asks any more', async () => {
    const { store } = await world.store('recalled', { ...dataMoves, ...heavy });
    const [{ node, name: pod, uid }] = await podsOf('recalled');
    const excluded = () => store.whole().processes.filter((one) => one.excluded);
    await beginDrain('recalled', node);
    const isMoving = async () => movingIn(await drainStatus('recalled'), `recalled/${pod}`) !== undefined;
    await world.until('its data moves', async () => excluded().length === 1 && (await isMoving()));
    expect(await evacuating('recalled')).toHaveLength(1);
    expect(await isCordoned(node)).toBe(true);
    await world.cluster.kubectl(['delete', 'nodedrain', 'recalled', '--timeout=20s']);
    expect(await isCordoned(node)).toBe(false);
    await world.until('its data moves no more', async () => excluded().length === 0);
    // What the engine has done is written down when it is seen.
    await world.until('nothing is on record as evacuating', async () => (await evacuating('recalled'))?.length === 0);
    expect(await world.isWhole('recalled')).toBe(true);
    expect((await world.status('recalled')).asks ?? []).toEqual([]);
    expect(await uidOf('recalled', pod)).toBe(uid);
    expect(store.jobs().filter(({ state }) => state === 'Running')).toEqual([]);
  });
});

test('every wait is counted, with its reason', async () => {
  const { health } = await operator.ports();
  const text = await (await fetch(`http://127.0.0.1:${health}/metrics`)).text();
  expect(text).toMatch(/^drover_decisions_total\{cluster="wiki\/wiki",step="[a-z-]+",reason="NeverEvicted"\} [1-9]/m);
});

test('a namespace without guards is not asked about', async () => {
  const { health } = await operator.ports();
  const asked = async () => {
    const text = await (await fetch(`http://127.0.0.1:${health}/metrics`)).text();
    return text.split('\n').filter((line) => line.startsWith('controller_runtime_webhook_requests_total'));
  };
  await world.cluster.addNodes([{ name: 'plain-1', zone: 'z1' }]);
  const spec = { nodeName: 'plain-1', terminationGracePeriodSeconds: 1, containers: [{ name: 'web', image: 'web:1' }] };
  await world.cluster.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec });
  const before = await asked();
  expect(before).not.toEqual([]);
  const { code, stdout, stderr } = await world.drain('plain-1', 'jane', '--force', '--timeout=30s');
  expect({ code, drover: stderr.includes('drover:') }).toEqual({ code: 0, drover: false });
  expect(unsaid(says, 'kubectl drain plain-1', stdout)).toEqual([]);
  expect(await asked()).toEqual(before);
});
