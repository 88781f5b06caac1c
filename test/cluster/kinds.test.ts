import { dirname } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { kinds } from '../../src/api/kinds.ts';
import type { StatefulClusterStatus } from '../../src/api/v1alpha1/stateful-cluster-status.schema.ts';
import type { Cluster } from '../../tools/control-plane/cluster.ts';
import { badChanges } from './kinds/bad-changes.ts';
import { badEvictionGuards } from './kinds/bad-eviction-guards.ts';
import { badNodeDrains } from './kinds/bad-node-drains.ts';
import { badStatefulClusters } from './kinds/bad-stateful-clusters.ts';
import { crdConditions, manifests, startClusterWithKinds } from './kinds/cluster-with-kinds.ts';
import type { KindName } from './kinds/good-objects.ts';
import { goodObjects, withField } from './kinds/good-objects.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startClusterWithKinds();
  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'longhorn-system' } });
  return () => cluster.stop();
});

afterEach(async () => {
  for (const collection of ['namespaces/default/statefulclusters', 'nodedrains']) {
    await cluster.request('DELETE', `/apis/drover.dev/v1alpha1/${collection}`);
  }
});

async function succeed(args: readonly string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await cluster.kubectl(args, { input });
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return stdout;
}

const collectionOf = (kind: KindName): string => {
  const namespace = kind === 'NodeDrain' ? '' : 'namespaces/default/';
  return `/apis/drover.dev/v1alpha1/${namespace}${kind.toLowerCase()}s`;
};
const messageIn = (body: unknown): string => z.object({ message: z.string() }).parse(body).message;

const dryRun = ['create', '--dry-run=server', '--validate=strict', '-f', '-'];
const orders = '/apis/drover.dev/v1alpha1/namespaces/default/statefulclusters/orders';

describe('the CRDs', () => {
  test('are structural, with nothing for the API server to object to', async () => {
    const conditions = await crdConditions(cluster);
    expect(conditions).toHaveLength(kinds.length);
    for (const types of conditions) expect(types.toSorted()).toEqual(['Established', 'NamesAccepted']);
  });

  test('apply twice without a change', async () => {
    for (const { content } of manifests('deploy/crds')) {
      expect(await succeed(['apply', '-f', '-'], content)).toMatch(/unchanged\n$/);
    }
  });

  test('answer to their short names and to the category', async () => {
    expect(await succeed(['api-resources', '--api-group=drover.dev', '-o', 'wide', '--no-headers'])).toMatch(
      /evictionguards +evg .*true +EvictionGuard .*drover\n.*nodedrains +nd .*false +NodeDrain .*drover\n.*statefulclusters +stcl .*true +StatefulCluster .*drover\n/s,
    );
    await succeed(['get', 'stcl,evg,nd', '-o', 'name']);
    await succeed(['get', 'drover', '-o', 'name']);
  });

  test('explain themselves', async () => {
    // The API server publishes the words of a kind a moment after it serves it.
    const explain = async () =>
      (await cluster.kubectl(['explain', 'statefulcluster.spec.automationOptions.replacements'])).stdout;
    await expect
      .poll(async () => (await explain()).replaceAll(/\s+/g, ' '), { timeout: 20_000 })
      .toContain(
        'failureDetectionTimeSeconds <integer> How long a process group must have been failing, without a break, before it is replaced.',
      );
  });

  test('have words for every field, as kubectl explain reads them', async () => {
    const node = z.object({
      description: z.string().optional(),
      get properties() {
        return z.record(z.string(), node).optional();
      },
      get items() {
        return node.optional();
      },
    });
    function* silent(schema: z.output<typeof node>, at: string): Generator<string> {
      for (const [name, member] of Object.entries(schema.properties ?? {})) {
        if (member.description === undefined) yield `${at}.${name}`;
        yield* silent(member, `${at}.${name}`);
      }
      if (schema.items !== undefined) yield* silent(schema.items, `${at}[]`);
    }
    const served = z
      .object({ components: z.object({ schemas: z.record(z.string(), node) }) })
      .parse(JSON.parse(await succeed(['get', '--raw', '/openapi/v3/apis/drover.dev/v1alpha1'])));
    for (const { kind } of kinds) {
      const schema = served.components.schemas[`dev.drover.v1alpha1.${kind}`];
      expect(schema).toBeDefined();
      for (const part of ['spec', 'status']) expect([...silent(schema?.properties?.[part] ?? {}, part)]).toEqual([]);
    }
  });
});

describe('every example', () => {
  test.each(manifests('examples'))('$name is accepted, strictly', async ({ content }) => {
    const objects = parseAllDocuments(content).length;
    const lines = (await succeed(['apply', '--validate=strict', '-f', '-'], content)).trim().split('\n');
    expect(lines).toHaveLength(objects);
    for (const line of lines) expect(line).toMatch(/ created$/);
    expect(await succeed(['apply', '--validate=strict', '-f', '-'], content)).toMatch(/unchanged\n$/);
    await succeed(['delete', '-f', '-'], content);
  });
});

describe('a bad object is refused with the field and with what is right', () => {
  test.each(Object.values(goodObjects))('a good $kind is not', async (good) => {
    await succeed(dryRun, JSON.stringify(good));
  });

  test.each([...badStatefulClusters, ...badEvictionGuards, ...badNodeDrains])(
    '$kind: $what',
    async ({ kind, set: [field, value], says }) => {
      // A hundred programs would say the same as a hundred requests, and cost ten times as much.
      const path = `${collectionOf(kind)}?dryRun=All&fieldValidation=Strict`;
      const { status, body } = await cluster.request('POST', path, {
        body: withField(goodObjects[kind], field, value),
      });
      for (const words of says) expect(messageIn(body)).toContain(words);
      expect([400, 422]).toContain(status);
    },
  );

  test('which kubectl shows as it is', async () => {
    const bad = withField(goodObjects.NodeDrain, 'spec.nodes', undefined);
    const { code, stderr } = await cluster.kubectl(dryRun, { input: JSON.stringify(bad) });
    expect(stderr).toContain('set exactly one of nodes and nodeSelector');
    expect(code).toBe(1);
  });
});

describe('a change that makes no sense is refused', () => {
  test.each(badChanges)('$kind: $what', async ({ kind, set: [field, value], says }) => {
    const good = goodObjects[kind];
    await cluster.apply(good);
    const { code, stderr } = await cluster.kubectl(['apply', '-f', '-'], {
      input: JSON.stringify(withField(good, field, value)),
    });
    for (const words of says) expect(stderr).toContain(words);
    expect(code).toBe(1);
  });
});

describe('the API server fills in defaults', () => {
  test('of a StatefulCluster, down to the last option', async () => {
    const spec = { engine: { type: 'arangodb' }, roles: [{ name: 'dbserver', count: 3 }] };
    const manifest = { ...goodObjects.StatefulCluster, spec };
    await cluster.apply(manifest);
    const { body } = await cluster.request('GET', orders);
    expect(body).toMatchObject({
      spec: {
        publicIPSource: 'Pod',
        faultDomain: { key: 'kubernetes.io/hostname' },
        drainPolicy: 'block-if-contains-last-replica',
        automationOptions: {
          deletionMode: 'Zone',
          removalMode: 'Zone',
          waitBetweenRemovalsSeconds: 60,
          maintenanceModeOptions: { useMaintenanceModeChecker: false, maintenanceModeTimeSeconds: 600 },
          replacements: {
            enabled: false,
            failureDetectionTimeSeconds: 7200,
            maxConcurrentReplacements: 1,
            taintReplacementOptions: [],
            taintReplacementTimeSeconds: 1800,
          },
        },
        buggify: { crashLoop: [], emptyMonitorConf: false, noSchedule: [], blockRemoval: [] },
      },
    });
    // Not in lists, which kubectl and GitOps tools compare as a whole; not what depends on the engine; not in a status.
    expect(body).toHaveProperty('spec.roles', spec.roles);
    expect(body).not.toHaveProperty('spec.automationOptions.podUpdateStrategy');
    expect(body).not.toHaveProperty('status');
  });

  test('and keeps null where null means something', async () => {
    const nulls = { trigger: null, maxZonesWithUnavailablePods: null };
    const manifest = { ...goodObjects.StatefulCluster, spec: { ...goodObjects.StatefulCluster.spec, ...nulls } };
    await cluster.create(dirname(orders), manifest);
    expect((await cluster.request('GET', orders)).body).toMatchObject({ spec: nulls });
  });

  test('and keeps what a pod template says, known to Drover or not', async () => {
    const template = {
      metadata: { labels: { a: 'b' } },
      spec: { containers: [{ name: 'x', image: 'y' }], notYetInvented: { deep: [1, null] } },
    };
    const manifest = withField(goodObjects.StatefulCluster, 'spec.roles.0.template', template);
    await succeed(['apply', '--validate=strict', '-f', '-'], JSON.stringify(manifest));
    expect((await cluster.request('GET', orders)).body).toMatchObject({ spec: { roles: [{ template }, {}] } });
  });
});

describe('durationInSeconds is an int64', () => {
  const option = 'spec.automationOptions.replacements.taintReplacementOptions[0].durationInSeconds';
  /** As text: JavaScript could not write these numbers. */
  const manifest = (seconds: string) =>
    JSON.stringify(goodObjects.StatefulCluster).replace('"durationInSeconds":3600', `"durationInSeconds":${seconds}`);

  test.each(['0', '9007199254740993', '9223372036854775806', '9223372036854775807'])(
    '%s survives to the last digit',
    async (seconds) => {
      await succeed(['apply', '--validate=strict', '-f', '-'], manifest(seconds));
      expect(await succeed(['get', '--raw', orders])).toContain(`"durationInSeconds":${seconds},`);
    },
  );

  // kubectl computes the patch of a plain apply in floating point. The field's description says what to do instead.
  test('a change beside it is kept by a server-side apply, and refused, not rounded, by a plain one', async () => {
    const beside = manifest('9223372036854775807},{"key":"*","durationInSeconds":1');
    await succeed(['apply', '-f', '-'], manifest('9223372036854775807'));
    expect((await cluster.kubectl(['apply', '-f', '-'], { input: beside })).stderr).toContain(
      `${option} in body must be of type int64`,
    );
    await cluster.request('DELETE', orders);
    await succeed(['apply', '--server-side', '-f', '-'], manifest('9223372036854775807'));
    await succeed(['apply', '--server-side', '-f', '-'], beside);
    expect(await succeed(['get', '--raw', orders])).toContain('"durationInSeconds":9223372036854775807,');
  });

  test('it also survives a status that Drover writes', async () => {
    await succeed(['apply', '-f', '-'], manifest('9223372036854775807'));
    const body = { status: { nextProcessGroupNumber: 7 } };
    const answer = await cluster.request('PATCH', `${orders}/status`, {
      body,
      contentType: 'application/merge-patch+json',
    });
    expect(answer.status).toBe(200);
    expect(await succeed(['get', '--raw', orders])).toContain('"durationInSeconds":9223372036854775807,');
  });

  test.each([
    ['-1', 'should be greater than or equal to 0'],
    ['9223372036854775808', 'must be of type int64'],
    ['1.5', 'must be of type int64'],
  ])('%s is refused: %s', async (seconds, says) => {
    const { code, stderr } = await cluster.kubectl(dryRun, { input: manifest(seconds) });
    expect(stderr).toContain(option);
    expect(stderr).toContain(says);
    expect(code).toBe(1);
  });
});

describe('the status', () => {
  const since = '2026-11-15T04:00:00Z';
  const blocked = {
    type: 'Blocked',
    status: 'True',
    reason: 'LastReplica',
    message: 'storage-1 stays',
    lastTransitionTime: since,
  };
  const written = { counts: { current: 5, leaving: 1, waiting: 2 }, conditions: [blocked] };

  test('is a subresource: what a person applies does not touch it, and writing it is no new generation', async () => {
    await cluster.apply({ ...goodObjects.StatefulCluster, status: written });
    expect((await cluster.request('GET', orders)).body).not.toHaveProperty('status');
    await succeed([
      'patch',
      'stcl',
      'orders',
      '--subresource=status',
      '--type=merge',
      '-p',
      JSON.stringify({ status: written }),
    ]);
    expect((await cluster.request('GET', orders)).body).toMatchObject({ metadata: { generation: 1 }, status: written });
  });

  test('shows in the columns of kubectl get', async () => {
    await cluster.apply(goodObjects.StatefulCluster);
    await succeed([
      'patch',
      'stcl',
      'orders',
      '--subresource=status',
      '--type=merge',
      '-p',
      JSON.stringify({ status: written }),
    ]);
    const lines = (await succeed(['get', 'stcl', 'orders'])).split('\n');
    expect(lines[0]).toMatch(/^NAME +ENGINE +READY +GROUPS +LEAVING +WAITING +BLOCKED +AGE$/);
    expect(lines[1]).toMatch(/^orders +foundationdb +5 +1 +2 +LastReplica +\d+s$/);
    expect(await succeed(['get', 'stcl', 'orders', '-o', 'wide'])).toMatch(
      /WHY +CONFLICT +VERSION .*storage-1 stays +7\.3\.63/s,
    );
  });

  test('with a thousand waiting process groups fits into one object', async () => {
    await cluster.apply(goodObjects.StatefulCluster);
    const reason = { code: 'LastReplica', message: 'x'.repeat(160), since, until: since };
    const row = (number: number): StatefulClusterStatus['processGroups'][number] => ({
      processGroupID: `storage-${number}`,
      role: 'storage',
      addresses: ['10.100.200.100'],
      nodeName: 'node-with-a-long-name-1234.example',
      faultDomain: 'node-with-a-long-name-1234.example',
      verdict: 'never',
      conditions: [{ type: 'NodeTaintDetected', timestamp: since }],
      removalTimestamp: since,
      removalReason: 'NodeTainted',
      evacuationTimestamp: null,
      exclusionTimestamp: null,
      exclusionSkipped: false,
      removingTimestamp: null,
      taints: [{ key: 'example.com/maintenance', since, replaceAt: since }],
      waitingFor: [reason],
    });
    const status = { processGroups: Array.from({ length: 1000 }, (_, index) => row(index + 10_000)) };
    const answer = await cluster.request('PATCH', `${orders}/status`, {
      body: { status },
      contentType: 'application/merge-patch+json',
    });
    expect(answer.status).toBe(200);
    const stored = await succeed(['get', '--raw', orders]);
    expect(stored.length).toBeLessThan(1024 * 1024);
    const tooMany = { status: { processGroups: [...status.processGroups, row(1)] } };
    const refused = await cluster.request('PATCH', `${orders}/status`, {
      body: tooMany,
      contentType: 'application/merge-patch+json',
    });
    expect(refused.status).toBe(422);
  });
});
