import { beforeEach, describe, expect, test } from 'vitest';
import { millis, seconds } from './clock.ts';
import { after, done, runWorkers, TerminalError } from './controller.ts';
import { Metrics } from './metrics.ts';
import { RuntimeMetrics } from './runtime-metrics.ts';
import { VirtualClock } from './testing/virtual-clock.ts';
import { WorkQueue } from './work-queue.ts';

let metrics: Metrics;
let runtime: RuntimeMetrics;
beforeEach(() => {
  metrics = new Metrics();
  runtime = new RuntimeMetrics(metrics);
});

/** Series and value, buckets left out. */
async function series(): Promise<Record<string, number>> {
  const lines = (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const pairs = lines
    .filter((line) => !line.includes('_bucket{'))
    .map((line) => line.match(/^(.*) (\S+)$/)?.slice(1) ?? []);
  return Object.fromEntries(pairs.map(([name = '', value]) => [name, Number(value)]));
}

test('the names are those of controller-runtime and client-go', async () => {
  const names = (await metrics.text()).matchAll(/^# TYPE (\S+) (\S+)$/gm);
  expect([...names].map(([, name, type]) => `${name} ${type}`).sort()).toEqual([
    'cache_age_seconds gauge',
    'cache_objects gauge',
    'cache_synced gauge',
    'controller_runtime_active_workers gauge',
    'controller_runtime_max_concurrent_reconciles gauge',
    'controller_runtime_reconcile_errors_total counter',
    'controller_runtime_reconcile_time_seconds histogram',
    'controller_runtime_reconcile_total counter',
    'controller_runtime_terminal_reconcile_errors_total counter',
    'controller_runtime_webhook_latency_seconds histogram',
    'controller_runtime_webhook_requests_in_flight gauge',
    'controller_runtime_webhook_requests_total counter',
    'leader_election_master_status gauge',
    'reflector_broken gauge',
    'reflector_lists_total counter',
    'reflector_watches_total counter',
    'rest_client_request_duration_seconds histogram',
    'rest_client_requests_total counter',
    'workqueue_adds_total counter',
    'workqueue_depth gauge',
    'workqueue_longest_running_processor_seconds gauge',
    'workqueue_queue_duration_seconds histogram',
    'workqueue_retries_total counter',
    'workqueue_unfinished_work_seconds gauge',
    'workqueue_work_duration_seconds histogram',
  ]);
});

test('a work queue', async () => {
  const queue = runtime.workQueue('nodes');
  const labels = 'name="nodes",controller="nodes"';
  queue.added();
  queue.added();
  queue.depth(2);
  queue.waited(millis(1500));
  queue.worked(millis(20));
  queue.retried();
  queue.running(() => ({ unfinished: seconds(7), longest: seconds(5) }));
  expect(await series()).toMatchObject({
    [`workqueue_adds_total{${labels}}`]: 2,
    [`workqueue_depth{${labels}}`]: 2,
    [`workqueue_queue_duration_seconds_sum{${labels}}`]: 1.5,
    [`workqueue_work_duration_seconds_sum{${labels}}`]: 0.02,
    [`workqueue_retries_total{${labels}}`]: 1,
    [`workqueue_unfinished_work_seconds{${labels}}`]: 7,
    [`workqueue_longest_running_processor_seconds{${labels}}`]: 5,
  });
  expect(await metrics.text()).toContain(`workqueue_queue_duration_seconds_bucket{le="1e-8",${labels}} 0`);
  expect(await metrics.text()).toContain(`workqueue_queue_duration_seconds_bucket{le="10",${labels}} 1`);
});

describe('a controller', () => {
  test('shows all its series at zero before anything happened', async () => {
    runtime.controller('nodes', 3);
    expect(await series()).toEqual({
      'controller_runtime_max_concurrent_reconciles{controller="nodes"}': 3,
      'controller_runtime_active_workers{controller="nodes"}': 0,
      'controller_runtime_reconcile_errors_total{controller="nodes"}': 0,
      'controller_runtime_terminal_reconcile_errors_total{controller="nodes"}': 0,
      'controller_runtime_reconcile_total{controller="nodes",result="success"}': 0,
      'controller_runtime_reconcile_total{controller="nodes",result="requeue_after"}': 0,
      'controller_runtime_reconcile_total{controller="nodes",result="error"}': 0,
    });
  });

  test.each`
    kind          | result             | errors | terminal
    ${'done'}     | ${'success'}       | ${0}   | ${0}
    ${'after'}    | ${'requeue_after'} | ${0}   | ${0}
    ${'failed'}   | ${'error'}         | ${1}   | ${0}
    ${'terminal'} | ${'error'}         | ${1}   | ${1}
  `('$kind counts as $result', async ({ kind, result, errors, terminal }) => {
    const hooks = runtime.controller('nodes', 1);
    hooks.onStarted();
    expect(await series()).toMatchObject({ 'controller_runtime_active_workers{controller="nodes"}': 1 });
    hooks.onFinished({ key: 'a', duration: seconds(2), kind, error: undefined });
    expect(await series()).toMatchObject({
      'controller_runtime_active_workers{controller="nodes"}': 0,
      [`controller_runtime_reconcile_total{controller="nodes",result="${result}"}`]: 1,
      'controller_runtime_reconcile_errors_total{controller="nodes"}': errors,
      'controller_runtime_terminal_reconcile_errors_total{controller="nodes"}': terminal,
      'controller_runtime_reconcile_time_seconds_sum{controller="nodes"}': 2,
    });
  });

  test('with real workers and a real queue', async () => {
    const clock = new VirtualClock();
    const stop = new AbortController();
    const queue = new WorkQueue<string>({ clock, metrics: runtime.workQueue('nodes') });
    const reconcile = async (key: string) => {
      if (key === 'terminal') throw new TerminalError('never');
      return key === 'again' ? after(seconds(60)) : done;
    };
    const workers = runWorkers({ queue, reconcile, clock, signal: stop.signal, ...runtime.controller('nodes', 1) });
    for (const key of ['a', 'again', 'terminal']) queue.add(key);
    await clock.pass(seconds(1));
    expect(await series()).toMatchObject({
      'workqueue_adds_total{name="nodes",controller="nodes"}': 3,
      'workqueue_depth{name="nodes",controller="nodes"}': 0,
      'workqueue_work_duration_seconds_count{name="nodes",controller="nodes"}': 3,
      'controller_runtime_reconcile_total{controller="nodes",result="success"}': 1,
      'controller_runtime_reconcile_total{controller="nodes",result="requeue_after"}': 1,
      'controller_runtime_reconcile_total{controller="nodes",result="error"}': 1,
    });
    stop.abort();
    await workers;
  });
});

test('requests to the API server, and those without an answer', async () => {
  runtime.onRequest({ method: 'GET', status: 200, duration: millis(30) });
  runtime.onRequest({ method: 'GET', status: 0, duration: seconds(1) });
  expect(await series()).toEqual({
    'rest_client_requests_total{code="200",method="GET"}': 1,
    'rest_client_requests_total{code="<error>",method="GET"}': 1,
    'rest_client_request_duration_seconds_sum{verb="GET"}': 1.03,
    'rest_client_request_duration_seconds_count{verb="GET"}': 2,
  });
});

test('who leads', async () => {
  const { onLeading } = runtime.leaderLease('ns/lock');
  const leads = async () => (await series())['leader_election_master_status{name="ns/lock"}'];
  expect(await leads()).toBe(0);
  onLeading(true);
  expect(await leads()).toBe(1);
  onLeading(false);
  expect(await leads()).toBe(0);
});

test('webhooks', async () => {
  const { started, ended } = runtime.admission();
  started('/a');
  started('/a');
  ended('/a', 200, millis(5));
  expect(await series()).toEqual({
    'controller_runtime_webhook_requests_in_flight{webhook="/a"}': 1,
    'controller_runtime_webhook_requests_total{webhook="/a",code="200"}': 1,
    'controller_runtime_webhook_latency_seconds_sum{webhook="/a"}': 0.005,
    'controller_runtime_webhook_latency_seconds_count{webhook="/a"}': 1,
  });
});

test('reflectors and caches', async () => {
  const { onRead, onHealth } = runtime.reflector('pods');
  onRead('list');
  onRead('watch');
  onRead('watch');
  onHealth(new Error('down'));
  runtime.cache('pods', { size: 12, view: () => ({ synced: true, age: seconds(40) }) });
  expect(await series()).toEqual({
    'reflector_lists_total{name="pods"}': 1,
    'reflector_watches_total{name="pods"}': 2,
    'reflector_broken{name="pods"}': 1,
    'cache_objects{name="pods"}': 12,
    'cache_synced{name="pods"}': 1,
    'cache_age_seconds{name="pods"}': 40,
  });
  onHealth(undefined);
  expect(await series()).toMatchObject({ 'reflector_broken{name="pods"}': 0 });
});
