import { CoreV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node';
import { report } from './reading.ts';

const [count = '', file = ''] = process.argv.slice(2);

await report(async () => {
  const config = new KubeConfig();
  config.loadFromFile(file);
  const api = config.makeApiClient(CoreV1Api);
  const informer = makeInformer(config, '/api/v1/pods', () => api.listPodForAllNamespaces());
  await informer.start();
  const size = informer.list().length;
  if (size !== Number(count)) throw new Error(`${size} pods instead of ${count}`);
});
