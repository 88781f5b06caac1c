import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client';

/** The labels of a metric, each with its value. All of them, always: a series with a missing label is another series. */
export type LabelValues<Label extends string> = Readonly<Record<Label, string>>;

export interface MetricName<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
}

/** Only ever goes up. */
export interface CounterMetric<Label extends string> {
  add(labels: LabelValues<Label>, amount?: number): void;
}

/** Goes up and down. */
export interface GaugeMetric<Label extends string> {
  set(labels: LabelValues<Label>, value: number): void;
  /** Asks `read` at every scrape instead. What `read` throws leaves this one series out of the scrape. */
  read(labels: LabelValues<Label>, read: () => number): void;
  /** The series is not shown any more: what it was about is gone. */
  forget(labels: LabelValues<Label>): void;
}

/** Counts values by size. Durations are in seconds, as Prometheus wants them. */
export interface HistogramMetric<Label extends string> {
  observe(labels: LabelValues<Label>, value: number): void;
}

/**
 * The metrics of one process: the only place that knows the library. A name can be taken once; a second time throws, because two owners of
 * one name would mix their values without a word.
 */
export class Metrics {
  readonly #registry = new Registry();

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Everything, in Prometheus' text format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  counter<Label extends string>({ name, help, labels }: MetricName<Label>): CounterMetric<Label> {
    const counter = new Counter({ name, help, labelNames: [...labels], registers: [this.#registry] });
    return { add: (values, amount = 1) => counter.labels(...ordered(labels, values)).inc(amount) };
  }

  gauge<Label extends string>({ name, help, labels }: MetricName<Label>): GaugeMetric<Label> {
    const reads = new Map<string, { readonly values: readonly string[]; readonly read: () => number }>();
    const gauge = new Gauge({
      name,
      help,
      labelNames: [...labels],
      registers: [this.#registry],
      collect() {
        for (const { values, read } of reads.values()) {
          const value = attempt(read);
          if (value === undefined) this.remove(...values);
          else this.labels(...values).set(value);
        }
      },
    });
    return {
      set: (values, value) => gauge.labels(...ordered(labels, values)).set(value),
      read(values, read) {
        const list = ordered(labels, values);
        reads.set(JSON.stringify(list), { values: list, read });
      },
      forget(values) {
        const list = ordered(labels, values);
        reads.delete(JSON.stringify(list));
        gauge.remove(...list);
      },
    };
  }

  histogram<Label extends string>(
    { name, help, labels }: MetricName<Label>,
    buckets: readonly number[],
  ): HistogramMetric<Label> {
    const registers = [this.#registry];
    const histogram = new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers });
    return { observe: (values, value) => histogram.labels(...ordered(labels, values)).observe(value) };
  }

  /**
   * Adds what Node knows of its own process: memory, CPU, event loop, garbage collection, file descriptors. Once a process, because the
   * library never lets go of what it hangs into Node for this.
   */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.#registry, eventLoopUtilizationTimeout: 1_000 });
  }
}

function ordered<Label extends string>(labels: readonly Label[], values: LabelValues<Label>): string[] {
  return labels.map((label) => values[label]);
}

function attempt(read: () => number): number | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
