import { describe, expect, test } from 'vitest';
import type { StatefulClusterSpecInput } from '../../api/v1alpha1/stateful-cluster.schema.ts';
import { jsonCodec } from '../../kube/codec.ts';
import type { KubeObject } from '../../kube/object.ts';
import { keyText, parseKey } from '../../kube/object.ts';
import type { EventsV1Event } from '../../kube/resources.ts';
import { events } from '../../kube/resources.ts';
import { name } from '../../model/ids.ts';
import { detect } from '../../operator/detect/detect.ts';
import type { CronJob } from '../../operator/resources.ts';
import { cronJobs } from '../../operator/resources.ts';
import { statefulClusters } from '../../operator/stateful-cluster/view.ts';
import type { OperatedWorld } from './operated-world.ts';
import { key } from './testing/foundationdb-spec.ts';
import type { RunningCluster } from './testing/running-cluster.ts';
import { runningCluster } from './testing/running-cluster.ts';

type Replacements = NonNullable<NonNullable<StatefulClusterSpecInput['automationOptions']>['replacements']>;

const call = { signal: new AbortController().signal };
const withReplacements = (replacements: Replacements) => ({ automationOptions: { replacements } });
const up = (replacements: Replacements = {}) => runningCluster(withReplacements(replacements));

/** All CronJobs of the world: `drover/db.orders-detector at 0 *\/2 * * *`. */
async function detectors({ people }: OperatedWorld): Promise<readonly string[]> {
  const codec = jsonCodec<CronJob & { readonly spec: { readonly schedule?: string } }, string>(
    ({ metadata, spec }) => `${keyText(metadata)} at ${spec.schedule}`,
  );
  return (await people.list(cronJobs, codec, call)).items;
}

const everyTwoHours = 'drover/db.orders-detector at 0 */2 * * *';
const everyHalfHour = 'drover/db.orders-detector at */30 * * * *';

describe('the CronJob of the failure detector', () => {
  test.each<[Replacements, readonly string[]]>([
    [{}, []],
    [{ enabled: true }, [everyTwoHours]],
    [{ enabled: true, detector: { enabled: false } }, []],
    [{ detector: { enabled: true } }, [everyTwoHours]],
    [{ enabled: true, failureDetectionTimeSeconds: 1800 }, [everyHalfHour]],
  ])('with %j there is %j', async (replacements, expected) => {
    const { world } = await up(replacements);
    expect(await detectors(world)).toEqual(expected);
  });

  test('follows the spec: it comes, changes, moves beside its cluster, and goes', async () => {
    const { world, ...cluster } = await story({});
    const becomes = async (replacements: Replacements) => {
      await cluster.change(withReplacements(replacements));
      await world.pass(5);
      return detectors(world);
    };
    expect(await becomes({ enabled: true })).toEqual([everyTwoHours]);
    expect(await becomes({ failureDetectionTimeSeconds: 1800 })).toEqual([everyHalfHour]);
    expect(await becomes({ detector: { template: { spec: { suspend: true } } } })).toEqual([
      'db/orders-detector at */30 * * * *',
    ]);
    expect(await becomes({ enabled: false })).toEqual([]);
    expect(world.errors).toEqual([]);
  });

  test('is not written again while nothing changes, also not by the next operator', async () => {
    const { world } = await up({ enabled: true });
    const before = world.writes.length;
    await world.pass(1800);
    await world.killOperator();
    world.startOperator();
    await world.pass(1800);
    expect(world.writes.slice(before)).toEqual([]);
  });

  test('is made again when a person deletes it', async () => {
    const { world } = await up({ enabled: true });
    await world.people.delete(cronJobs, { namespace: 'drover', name: 'db.orders-detector' }, call);
    expect(await detectors(world)).toEqual([]);
    await world.pass(2);
    expect(await detectors(world)).toEqual([everyTwoHours]);
  });

  test.each([
    ['while the operator looks', false],
    ['while nobody looks', true],
  ])('goes with its cluster, deleted %s', async (_, unseen) => {
    const { world } = await up({ enabled: true });
    if (unseen) await world.killOperator();
    await world.people.delete(statefulClusters, parseKey(key), { ...call, propagationPolicy: 'Background' });
    await world.pass(60);
    if (unseen) expect(await detectors(world)).toEqual([everyTwoHours]);
    if (unseen) world.startOperator();
    await world.pass(10);
    expect(await detectors(world)).toEqual([]);
  });

  test('that the API server refuses is told and tried again now and then, and the cluster does not wait for it', async () => {
    const { world, ...cluster } = await story({});
    const before = world.writes.length;
    const [old = ''] = await cluster.ids('stateless');
    const template = { spec: { suspend: 'often' } };
    const detector = { enabled: true, template };
    await cluster.change({ ...withReplacements({ detector }), processGroupsToRemove: [old] });
    await world.pass(400);
    const tries = world.writes.slice(before).filter((write) => write.includes('cronjobs'));
    expect(tries).toEqual(Array.from({ length: 2 }, () => 'POST /apis/batch/v1/namespaces/db/cronjobs'));
    const codec = jsonCodec<EventsV1Event, string>(({ reason, note }) => `${reason}: ${note}`);
    const told = (await world.people.list(events, codec, { ...call, namespace: 'db' })).items;
    expect(told.filter((one) => one.startsWith('DetectorNotKept'))).toEqual([expect.stringMatching(/suspend/)]);
    expect(await cluster.ids('stateless')).not.toContain(old);
    expect(world.errors).toEqual([]);
  });
});

/** The world and what is done to the cluster in it. */
async function story(replacements: Replacements) {
  const running: RunningCluster = await up(replacements);
  const { world } = running;
  return {
    world,
    change: (spec: object) => running.change(spec),
    ids: (role: string) => running.ids(role),
    conditions: async (group: string) => ((await running.row(group))?.conditions ?? []).map(({ type }) => type),
    detect: () => detect({ client: world.people, clock: world.clock, engines: world.engines }, key, call.signal),
    annotations: async () => {
      const { metadata }: KubeObject = await world.people.get(statefulClusters, parseKey(key), call);
      return metadata.annotations ?? {};
    },
    /** People have it looked at, so that the next look by itself is 30 s away. */
    lookedAt: async () => {
      const body = { metadata: { annotations: { note: String(world.clock.now()) } } };
      await world.people.patch(statefulClusters, parseKey(key), { type: 'merge', body }, call);
      await world.pass(3);
    },
  };
}

describe('`drover detect`', () => {
  test('changes nothing while nothing is missing', async () => {
    const { world, ...cluster } = await story({});
    const before = await cluster.annotations();
    expect(await cluster.detect()).toEqual({
      cluster: key,
      at: new Date(world.clock.now()).toISOString(),
      missing: [],
      engine: 'answers',
      why: null,
    });
    expect(await cluster.annotations()).toEqual(before);
  });

  test('annotates the cluster when a process is missing, and the operator looks at once', async () => {
    const { world, ...cluster } = await story({});
    const [group = ''] = await cluster.ids('stateless');
    await cluster.lookedAt();
    world.database(key).stop(name(group));
    await world.pass(10);
    expect(await cluster.conditions(group)).toEqual([]);
    const { at, missing } = await cluster.detect();
    expect(missing).toEqual([{ group, role: 'stateless', missing: ['MissingProcesses'] }]);
    expect((await cluster.annotations())['drover.dev/detected']).toBe(at);
    await world.pass(1);
    expect(await cluster.conditions(group)).toEqual(['MissingProcesses']);
  });

  test('does not take the silence of the engine for a missing process', async () => {
    const { world, ...cluster } = await story({});
    for (const { id } of world.database(key).whole().processes) world.database(key).isolate(id);
    const { missing, engine } = await cluster.detect();
    expect({ missing, engine }).toEqual({ missing: [], engine: 'silent' });
    expect(await cluster.annotations()).not.toHaveProperty(['drover.dev/detected']);
  });

  test('says that a cluster is not set up yet, and that there is none', async () => {
    const { world, ...cluster } = await story({});
    await world.killOperator();
    const body = { status: { bootstrapTimestamp: null } };
    const options = { ...call, subresource: 'status' };
    await world.people.patch(statefulClusters, parseKey(key), { type: 'merge', body }, options);
    expect(await cluster.detect()).toMatchObject({ missing: [], engine: 'not-set-up' });
    const parts = { client: world.people, clock: world.clock, engines: world.engines };
    await expect(detect(parts, 'db/others', call.signal)).rejects.toThrow('there is no StatefulCluster db/others');
    await expect(detect({ ...parts, engines: {} }, key, call.signal)).rejects.toThrow('no engine for foundationdb');
  });
});
