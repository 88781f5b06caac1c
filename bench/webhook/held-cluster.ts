import { decide } from '../../src/decide.ts';
import { name } from '../../src/model/ids.ts';
import type { GuardedPod, Published } from '../../src/operator/lock/desk.ts';
import { rulesFor } from '../../src/rules/role-table.ts';
import { largeSnapshot } from '../decide/large-snapshot.ts';

const groups = 100;

/** What the controller lays down about a cluster of 100 process groups that all hold data and are all asked to leave. */
export function heldCluster(): Published {
  const snapshot = largeSnapshot(groups, 2, 1000);
  const pods = new Map<string, GuardedPod>();
  for (const { id, role, pod } of snapshot.processGroups) {
    const locked = rulesFor(snapshot.spec.engine, role)?.locked !== false;
    if (pod !== null) pods.set(pod.name, { group: id, pod, locked });
  }
  return { decision: decide(snapshot), pods, asks: [], leaving: new Set(snapshot.nodes?.map((node) => node.name)) };
}

/** A review for each pod of it, as the API server writes them, one in a line. */
export function reviewsOf({ pods }: Published, namespace: string): string {
  const lines = [...pods.keys()].map((pod) => {
    const uid = `705ab4f5-6393-11e8-b7cc-${String(pod.length).padStart(12, '4')}`;
    const eviction = { kind: 'Eviction', apiVersion: 'policy/v1' };
    const metadata = { name: pod, namespace };
    const groups = ['system:masters', 'system:authenticated'];
    return JSON.stringify({
      kind: 'AdmissionReview',
      apiVersion: 'admission.k8s.io/v1',
      request: {
        uid,
        kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
        resource: { group: '', version: 'v1', resource: 'pods' },
        subResource: 'eviction',
        requestKind: { group: 'policy', version: 'v1', kind: 'Eviction' },
        requestResource: { group: '', version: 'v1', resource: 'pods' },
        requestSubResource: 'eviction',
        name: name(pod),
        namespace,
        operation: 'CREATE',
        userInfo: { username: 'jane', groups },
        object: { ...eviction, metadata, deleteOptions: {} },
        oldObject: null,
        dryRun: false,
        options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
      },
    });
  });
  return `${lines.join('\n')}\n`;
}
