import { describe, expect, test } from 'vitest';
import { InvalidObjectError } from '../../api/parse.ts';
import type { StatefulClusterSpecInput } from '../../api/v1alpha1/stateful-cluster.schema.ts';
import type { KubeObject } from '../../kube/object.ts';
import { claimFor } from '../../operator/stateful-cluster/manifests/claim.ts';
import { connectionConfigMapFor } from '../../operator/stateful-cluster/manifests/connection-config-map.ts';
import { podFor } from '../../operator/stateful-cluster/manifests/pod.ts';
import { serviceFor } from '../../operator/stateful-cluster/manifests/service.ts';
import { shapeOf } from '../../operator/stateful-cluster/pod-shape.ts';
import { claimView } from '../../operator/stateful-cluster/seen/claim.ts';
import { seenPod } from '../../operator/stateful-cluster/seen/pod.ts';
import { claimSpecHash } from '../../operator/stateful-cluster/spec-hash.ts';
import { group, someCluster } from '../../operator/testing/some-cluster.ts';
import type { JsonObject } from './json.ts';
import { SmallWorld } from './testing/small-world.ts';

const volumeClaimTemplate = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

const rich = {
  metadata: { labels: { tier: 'db' }, annotations: { note: 'x' } },
  spec: {
    initContainers: [{ name: 'prepare', image: 'busybox' }],
    containers: [
      {
        name: 'database',
        image: 'database:1',
        env: [{ name: 'ZONE', value: '$(DROVER_ZONE)' }],
        ports: [{ containerPort: 4501 }],
        resources: { requests: { cpu: '500m', memory: '1Gi' }, limits: { memory: '2Gi' } },
        volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }],
      },
      { name: 'metrics', image: 'metrics:1' },
    ],
    volumes: [{ name: 'scratch', emptyDir: {} }],
    tolerations: [{ key: 'dedicated', operator: 'Exists' }],
    nodeSelector: { disk: 'fast' },
    affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
  },
};

type Engine = StatefulClusterSpecInput['engine'];
const engines: readonly [Engine, string][] = [
  [{ type: 'foundationdb', version: '7.3.63' }, 'commit_proxy'],
  [{ type: 'arangodb' }, 'single'],
  [{ type: 'etcd' }, 'member'],
  [{ type: 'redis' }, 'primary'],
  [{ type: 'http', http: { url: 'http://admin' } }, 'node'],
];

/** Creates it as strictly as kubectl does, and gives back what is stored. */
async function create(world: SmallWorld, plural: string, object: KubeObject): Promise<JsonObject> {
  const body: JsonObject = JSON.parse(JSON.stringify(object));
  const reply = await world.send('POST', `/api/v1/namespaces/db/${plural}?fieldValidation=Strict`, body);
  expect([reply.status, reply.body['message'], reply.warnings]).toEqual([201, undefined, []]);
  return reply.body;
}

describe.each(engines)('what Drover makes for %j is accepted by the API server', (engine, name) => {
  test.each([
    ['a plain template', {}],
    ['a template that says much', { template: rich }],
  ])('%s, with every fault and without', async (_what, more) => {
    for (const buggify of [{}, { crashLoop: ['*'], noSchedule: ['*'], emptyMonitorConf: true }]) {
      const world = new SmallWorld({ namespaces: ['db'], controllers: false });
      const { cluster, role } = someCluster({
        spec: { engine, buggify, publicIPSource: 'Service', faultDomain: { key: 'topology.kubernetes.io/zone' } },
        role: { name, volumeClaimTemplate, ...more },
      });
      const stored = await create(world, 'pods', podFor(cluster, role, group, '10.96.0.7'));
      await create(world, 'services', serviceFor(cluster, role, group));
      await create(world, 'configmaps', connectionConfigMapFor(cluster, 'orders:abc@10.0.0.1:4501'));
      const claim = await create(world, 'persistentvolumeclaims', claimFor(cluster, role, group));

      // What comes back is what was asked: a pod that the API server filled in must not look outdated.
      expect(seenPod(JSON.parse(JSON.stringify(stored))).shape).toEqual(shapeOf(cluster, role));
      expect(claimView(JSON.parse(JSON.stringify(claim))).specHash).toBe(claimSpecHash(role));
    }
  });
});

test('the API server names the field that a template has wrong, where Drover does not read it', async () => {
  const world = new SmallWorld({ namespaces: ['db'], controllers: false });
  const template = { spec: { containers: [{ name: 'c', image: 'i', imagePullPolicies: 'Always' }] } };
  const { cluster, role } = someCluster({ role: { template } });
  const body: JsonObject = JSON.parse(JSON.stringify(podFor(cluster, role, group)));
  const reply = await world.send('POST', '/api/v1/namespaces/db/pods?fieldValidation=Strict', body);
  expect(reply.body['message']).toContain('unknown field "spec.containers[0].imagePullPolicies"');
});

test('what Drover reads it judges itself', () => {
  const { cluster, role } = someCluster({ role: { template: { spec: { containers: {} } } } });
  expect(() => podFor(cluster, role, group)).toThrow(InvalidObjectError);
});
