/** The webhook as the operator runs it, with a decision in it. Prints its port. */
import { readFileSync } from 'node:fs';
import { AdmissionServer } from '../../src/kube/admission-server.ts';
import { Metrics } from '../../src/kube/metrics.ts';
import { realClock } from '../../src/kube/real-clock.ts';
import { RuntimeMetrics } from '../../src/kube/runtime-metrics.ts';
import { servingCertificate } from '../../src/kube/serving-certificate.ts';
import { admissionRoutes } from '../../src/operator/admission/routes.ts';
import { Desk, guardKey } from '../../src/operator/lock/desk.ts';
import { heldCluster } from './held-cluster.ts';

const [certificate = '', key = ''] = process.argv.slice(2).map((file) => readFileSync(file, 'utf8'));
const desk = new Desk(realClock);
desk.attend('StatefulCluster', () => {});
desk.attend('EvictionGuard', () => {});
const published = heldCluster();
// Said again, as every look at the cluster does: what is older than a minute is not answered with.
const publish = () => desk.publish(guardKey('StatefulCluster', 'db/orders'), published);
publish();
setInterval(publish, 5000).unref();
const server = await AdmissionServer.start({
  clock: realClock,
  host: '127.0.0.1',
  port: 0,
  routes: admissionRoutes(desk, realClock),
  certificate: servingCertificate({ certificate, key, authorities: undefined }, 'the benchmark'),
  observer: new RuntimeMetrics(new Metrics()).admission(),
});
console.log(server.port);
