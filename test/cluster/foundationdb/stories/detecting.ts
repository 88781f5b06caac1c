import { expect } from 'vitest';
import type { Story } from '../story.ts';
import type { StoryCluster } from '../story-cluster.ts';
import { eventually } from '../story-cluster.ts';

/** A CronJob as the API server has it. */
async function cronJob({ stage }: StoryCluster, namespace: string, name: string): Promise<unknown> {
  const { status, body } = await stage.plane.request('GET', `/apis/batch/v1/namespaces/${namespace}/cronjobs/${name}`);
  return status === 404 ? undefined : body;
}

const detector = (schedule: string, pod: object) => ({
  spec: { schedule, jobTemplate: { spec: { template: { spec: pod } } } },
});

export const detecting: readonly Story[] = [
  {
    says: 'the detector is a CronJob that comes with automatic replacement, follows its detection time, and goes with it',
    goes: async (cluster) => {
      const inOwn = () => cronJob(cluster, 'drover', `${cluster.namespace}.orders-detector`);
      const replacing = (replacements: object) => cluster.change({ automationOptions: { replacements } });
      expect(await inOwn()).toBeUndefined();
      await replacing({ enabled: true });
      const pod = {
        serviceAccountName: 'drover',
        containers: [{ args: ['detect', '--cluster', cluster.key] }],
      };
      await eventually(async () => expect(await inOwn()).toMatchObject(detector('0 */2 * * *', pod)));
      // Cron cannot say every 100 minutes: what it can say is rounded down to.
      await replacing({ failureDetectionTimeSeconds: 6000 });
      await eventually(async () => expect(await inOwn()).toMatchObject(detector('0 */1 * * *', pod)));
      await replacing({ detector: { schedule: '*/5 * * * *' } });
      await eventually(async () => expect(await inOwn()).toMatchObject(detector('*/5 * * * *', pod)));
      await replacing({ enabled: false });
      await eventually(async () => expect(await inOwn()).toBeUndefined());
      await replacing({ detector: { enabled: true } });
      await eventually(async () => expect(await inOwn()).toMatchObject(detector('*/5 * * * *', pod)));
    },
  },
  {
    says: 'the detector is fully customisable: then it lives beside its cluster, under an account of its own',
    automatic: {},
    goes: async (cluster) => {
      const pod = {
        serviceAccountName: 'watcher',
        nodeSelector: { 'kubernetes.io/os': 'linux' },
        containers: [{ name: 'detector', image: 'mirror.example.com/drover:1' }],
      };
      const template = {
        metadata: { labels: { team: 'storage' } },
        spec: { concurrencyPolicy: 'Forbid', jobTemplate: { spec: { template: { spec: pod } } } },
      };
      await cluster.change({ automationOptions: { replacements: { detector: { template } } } });
      await eventually(async () =>
        expect(await cronJob(cluster, cluster.namespace, 'orders-detector')).toMatchObject({
          metadata: { labels: { team: 'storage' }, ownerReferences: [{ kind: 'StatefulCluster', name: 'orders' }] },
          spec: {
            concurrencyPolicy: 'Forbid',
            ...detector('0 */2 * * *', {
              ...pod,
              containers: [{ ...pod.containers[0], args: ['detect', '--cluster', cluster.key] }],
            }).spec,
          },
        }),
      );
      await eventually(async () =>
        expect(await cronJob(cluster, 'drover', `${cluster.namespace}.orders-detector`)).toBeUndefined(),
      );
    },
  },
];
