import type { AdmissionObserver } from './admission-route.ts';
import type { Cache } from './cache.ts';
import type { RequestReport } from './client-options.ts';
import type { Millis } from './clock.ts';
import type { Outcome } from './controller.ts';
import type { Metrics } from './metrics.ts';
import type { WorkQueueMetrics } from './work-queue-metrics.ts';

/** controller-runtime's own buckets, so that its dashboards fit. */
const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
const queueBuckets = Array.from({ length: 12 }, (_, power) => Number(`1e${power - 8}`));
const requestBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const webhookBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const inSeconds = (time: Millis): number => time / 1000;

/** What `runWorkers` takes. */
export interface ControllerHooks {
  readonly onStarted: () => void;
  readonly onFinished: (outcome: Outcome) => void;
}

/** What a reflector or an informer takes. */
export interface ReflectorHooks {
  readonly onRead: (kind: 'list' | 'watch') => void;
  readonly onHealth: (trouble: unknown) => void;
}

/** The metrics of this folder, under the names that controller-runtime and client-go use, as hooks for the parts that tell. */
export class RuntimeMetrics {
  readonly #queues: ReturnType<typeof queueMetrics>;
  readonly #controllers: ReturnType<typeof controllerMetrics>;
  readonly #requests: ReturnType<typeof requestMetrics>;
  readonly #webhooks: ReturnType<typeof webhookMetrics>;
  readonly #caches: ReturnType<typeof cacheMetrics>;
  readonly #leading: ReturnType<typeof leaderMetric>;

  constructor(metrics: Metrics) {
    this.#queues = queueMetrics(metrics);
    this.#controllers = controllerMetrics(metrics);
    this.#requests = requestMetrics(metrics);
    this.#webhooks = webhookMetrics(metrics);
    this.#caches = cacheMetrics(metrics);
    this.#leading = leaderMetric(metrics);
  }

  /** For `WorkQueue`. As in controller-runtime the queue has the name of its controller. */
  workQueue(name: string): WorkQueueMetrics {
    const labels = { name, controller: name };
    const queues = this.#queues;
    queues.depth.set(labels, 0);
    return {
      depth: (waiting) => queues.depth.set(labels, waiting),
      added: () => queues.adds.add(labels),
      waited: (time) => queues.waited.observe(labels, inSeconds(time)),
      worked: (time) => queues.worked.observe(labels, inSeconds(time)),
      retried: () => queues.retries.add(labels),
      running(read) {
        queues.unfinished.read(labels, () => inSeconds(read().unfinished));
        queues.longest.read(labels, () => inSeconds(read().longest));
      },
    };
  }

  /** For `runWorkers`. */
  controller(name: string, workers: number): ControllerHooks {
    const labels = { controller: name };
    const controllers = this.#controllers;
    let active = 0;
    controllers.workers.set(labels, workers);
    controllers.active.set(labels, 0);
    // A rate needs the zero before the first one: without it the first error of all would go unseen.
    controllers.errors.add(labels, 0);
    controllers.terminal.add(labels, 0);
    for (const result of Object.values(results)) controllers.total.add({ ...labels, result }, 0);
    return {
      onStarted: () => controllers.active.set(labels, ++active),
      onFinished({ kind, duration }) {
        controllers.active.set(labels, --active);
        controllers.time.observe(labels, inSeconds(duration));
        controllers.total.add({ ...labels, result: results[kind] });
        if (kind === 'failed' || kind === 'terminal') controllers.errors.add(labels);
        if (kind === 'terminal') controllers.terminal.add(labels);
      },
    };
  }

  /** For `KubeClient`. */
  readonly onRequest = ({ method, status, duration }: RequestReport): void => {
    // client-go's own word for a request without an answer.
    this.#requests.total.add({ method, code: status === 0 ? '<error>' : String(status) });
    this.#requests.duration.observe({ verb: method }, inSeconds(duration));
  };

  /** For `LeaderLease`. */
  leaderLease(name: string): { readonly onLeading: (leading: boolean) => void } {
    this.#leading.set({ name }, 0);
    return { onLeading: (leading) => this.#leading.set({ name }, leading ? 1 : 0) };
  }

  /** For `AdmissionServer`. */
  admission(): Required<Pick<AdmissionObserver, 'started' | 'ended'>> {
    const inFlight = new Map<string, number>();
    const change = (webhook: string, by: number) => {
      const count = (inFlight.get(webhook) ?? 0) + by;
      inFlight.set(webhook, count);
      this.#webhooks.inFlight.set({ webhook }, count);
    };
    return {
      started: (webhook) => change(webhook, 1),
      ended: (webhook, status, duration) => {
        change(webhook, -1);
        this.#webhooks.total.add({ webhook, code: String(status) });
        this.#webhooks.latency.observe({ webhook }, inSeconds(duration));
      },
    };
  }

  /** For `Reflector` and `Informer`. */
  reflector(name: string): ReflectorHooks {
    const { lists, watches, broken } = this.#caches;
    broken.set({ name }, 0);
    return {
      onRead: (kind) => (kind === 'list' ? lists : watches).add({ name }),
      onHealth: (trouble) => broken.set({ name }, trouble === undefined ? 0 : 1),
    };
  }

  /** Shows what a cache holds, and how far behind it may be. */
  cache(name: string, cache: Pick<Cache<unknown>, 'size' | 'view'>): void {
    this.#caches.objects.read({ name }, () => cache.size);
    this.#caches.synced.read({ name }, () => (cache.view().synced ? 1 : 0));
    this.#caches.age.read({ name }, () => inSeconds(cache.view().age));
  }
}

/** controller-runtime's words for how a reconcile went. */
const results = { done: 'success', after: 'requeue_after', failed: 'error', terminal: 'error' } as const;

function queueMetrics(metrics: Metrics) {
  const labels = ['name', 'controller'] as const;
  const named = (name: string, help: string) => ({ name: `workqueue_${name}`, help, labels });
  return {
    depth: metrics.gauge(named('depth', 'Current depth of workqueue')),
    adds: metrics.counter(named('adds_total', 'Total number of adds handled by workqueue')),
    retries: metrics.counter(named('retries_total', 'Total number of retries handled by workqueue')),
    waited: metrics.histogram(
      named('queue_duration_seconds', 'How long in seconds an item stays in workqueue before being requested'),
      queueBuckets,
    ),
    worked: metrics.histogram(
      named('work_duration_seconds', 'How long in seconds processing an item from workqueue takes'),
      queueBuckets,
    ),
    unfinished: metrics.gauge(
      named('unfinished_work_seconds', 'How many seconds of work is in progress and has not been observed yet'),
    ),
    longest: metrics.gauge(
      named('longest_running_processor_seconds', 'How many seconds the longest running processor has been running'),
    ),
  };
}

function controllerMetrics(metrics: Metrics) {
  const labels = ['controller'] as const;
  const named = (name: string, help: string) => ({ name: `controller_runtime_${name}`, help, labels });
  return {
    total: metrics.counter({
      ...named('reconcile_total', 'Total number of reconciliations per controller'),
      labels: ['controller', 'result'],
    }),
    errors: metrics.counter(
      named('reconcile_errors_total', 'Total number of reconciliation errors per controller, terminal ones included'),
    ),
    terminal: metrics.counter(
      named('terminal_reconcile_errors_total', 'Total number of terminal reconciliation errors per controller'),
    ),
    time: metrics.histogram(
      named('reconcile_time_seconds', 'Length of time per reconciliation per controller'),
      reconcileBuckets,
    ),
    workers: metrics.gauge(
      named('max_concurrent_reconciles', 'Maximum number of concurrent reconciles per controller'),
    ),
    active: metrics.gauge(named('active_workers', 'Number of currently used workers per controller')),
  };
}

function requestMetrics(metrics: Metrics) {
  return {
    total: metrics.counter({
      name: 'rest_client_requests_total',
      help: 'Number of HTTP requests to the API server, partitioned by status code and method',
      labels: ['code', 'method'],
    }),
    duration: metrics.histogram(
      {
        name: 'rest_client_request_duration_seconds',
        help: 'Request latency in seconds, broken down by verb',
        labels: ['verb'],
      },
      requestBuckets,
    ),
  };
}

function webhookMetrics(metrics: Metrics) {
  const labels = ['webhook'] as const;
  const named = (name: string, help: string) => ({ name: `controller_runtime_webhook_${name}`, help, labels });
  return {
    total: metrics.counter({
      ...named(
        'requests_total',
        'Total number of admission requests by HTTP status code; 499: the caller did not wait',
      ),
      labels: ['webhook', 'code'],
    }),
    latency: metrics.histogram(named('latency_seconds', 'Latency of processing admission requests'), webhookBuckets),
    inFlight: metrics.gauge(named('requests_in_flight', 'Current number of admission requests being served')),
  };
}

function cacheMetrics(metrics: Metrics) {
  const labels = ['name'] as const;
  const named = (name: string, help: string) => ({ name, help, labels });
  return {
    lists: metrics.counter(named('reflector_lists_total', 'Total number of API lists done by the reflectors')),
    watches: metrics.counter(named('reflector_watches_total', 'Total number of API watches done by the reflectors')),
    broken: metrics.gauge(named('reflector_broken', '1 while the reflector cannot keep its cache up to date, else 0')),
    objects: metrics.gauge(named('cache_objects', 'Number of objects in the cache')),
    synced: metrics.gauge(named('cache_synced', '1 once the whole collection was read, else 0')),
    age: metrics.gauge(
      named(
        'cache_age_seconds',
        'How long ago the API server was last heard of for this collection; a minute is normal',
      ),
    ),
  };
}

function leaderMetric(metrics: Metrics) {
  return metrics.gauge({
    name: 'leader_election_master_status',
    help: 'Whether this process leads: 1 it does, 0 it stands by',
    labels: ['name'],
  });
}
