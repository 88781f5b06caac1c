/**
 * The operator as a process of its own on a quick clock: what it waits for in seconds passes in fractions of them, while Kubernetes and kubectl take
 * their own time. `quick-operator.ts <times> <since> <kubeconfig> <webhook port> [<leaving taint>...]`, which OperatorProcess runs.
 */
import { randomUUID } from 'node:crypto';
import { flushCompileCache } from 'node:module';
import { epochMillis, seconds } from '../../src/kube/clock.ts';
import { kubeconfigConnection } from '../../src/kube/kubeconfig.ts';
import { jsonLogger } from '../../src/kube/log.ts';
import { nodeTransport } from '../../src/kube/node-transport.ts';
import { realRandom } from '../../src/kube/random.ts';
import { realClock } from '../../src/kube/real-clock.ts';
import { names } from '../../src/operator/names.ts';
import { runOperator } from '../../src/operator/operator.ts';
import { QuickClock } from './quick-clock.ts';
import { quickTransport } from './quick-transport.ts';

// Most of them are killed, and would leave nothing of what was compiled to the next one.
flushCompileCache();
const [times = '', since = '', kubeconfig = '', webhookPort = '', ...leavingTaints] = process.argv.slice(2);
const clock = new QuickClock(Number(times), epochMillis(Number(since)));
const connection = await kubeconfigConnection(kubeconfig, realClock);
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort(new Error('told to stop')));
const end = await runOperator(
  {
    connection,
    transport: quickTransport(nodeTransport(connection), clock),
    clock,
    random: realRandom,
    logger: jsonLogger({ clock: realClock, level: 'info' }),
    namespace: names.namespace,
    identity: `quick_${randomUUID()}`,
    // Requests are not quicker than usual, and a lease is kept by them: a long one is not lost on a busy machine.
    requestDeadline: seconds(30 * clock.times),
    leaseDuration: seconds(30 * clock.times),
    host: '127.0.0.1',
    healthPort: 0,
    webhookPort: Number(webhookPort),
    webhookHosts: ['127.0.0.1'],
    leavingTaints,
  },
  stop.signal,
);
process.exit(end === 'stopped' ? 0 : 1);
