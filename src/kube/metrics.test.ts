import { describe, expect, test } from 'vitest';
import { Metrics } from './metrics.ts';

async function shown(metrics: Metrics): Promise<string[]> {
  return (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

describe('metrics are shown as Prometheus reads them', () => {
  test('with help, type and labels in the order in which they were named', async () => {
    const metrics = new Metrics();
    const counter = metrics.counter({ name: 'seen_total', help: 'What was seen', labels: ['b', 'a'] });
    counter.add({ a: 'x', b: 'y "quoted"\n' });
    counter.add({ a: 'x', b: 'y "quoted"\n' }, 2);
    expect(metrics.contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await metrics.text()).toBe(
      '# HELP seen_total What was seen\n# TYPE seen_total counter\nseen_total{b="y \\"quoted\\"\\n",a="x"} 3\n',
    );
  });

  test('a counter may be shown at zero before anything happened', async () => {
    const metrics = new Metrics();
    metrics.counter({ name: 'seen_total', help: 'x', labels: ['a'] }).add({ a: 'x' }, 0);
    expect(await shown(metrics)).toEqual(['seen_total{a="x"} 0']);
  });

  test('a histogram counts by size', async () => {
    const metrics = new Metrics();
    const histogram = metrics.histogram({ name: 'took_seconds', help: 'x', labels: [] }, [0.1, 1]);
    for (const value of [0.05, 0.1, 0.5, 5]) histogram.observe({}, value);
    expect(await shown(metrics)).toEqual([
      'took_seconds_bucket{le="0.1"} 2',
      'took_seconds_bucket{le="1"} 3',
      'took_seconds_bucket{le="+Inf"} 4',
      'took_seconds_sum 5.65',
      'took_seconds_count 4',
    ]);
  });

  test('a gauge is set, or read at every scrape, or forgotten', async () => {
    const metrics = new Metrics();
    const gauge = metrics.gauge({ name: 'depth', help: 'x', labels: ['of'] });
    let size = 1;
    gauge.set({ of: 'set' }, 7);
    gauge.read({ of: 'read' }, () => size);
    expect(await shown(metrics)).toEqual(['depth{of="set"} 7', 'depth{of="read"} 1']);
    size = 2;
    expect(await shown(metrics)).toContain('depth{of="read"} 2');
    gauge.forget({ of: 'read' });
    gauge.forget({ of: 'set' });
    gauge.forget({ of: 'never there' });
    expect(await shown(metrics)).toEqual([]);
  });

  test('a reading that throws leaves out its own series and no other', async () => {
    const metrics = new Metrics();
    const gauge = metrics.gauge({ name: 'depth', help: 'x', labels: ['of'] });
    let broken = false;
    gauge.read({ of: 'a' }, () => {
      if (broken) throw new Error('gone');
      return 1;
    });
    gauge.read({ of: 'b' }, () => 2);
    expect(await shown(metrics)).toHaveLength(2);
    broken = true;
    expect(await shown(metrics)).toEqual(['depth{of="b"} 2']);
    broken = false;
    expect(await shown(metrics)).toHaveLength(2);
  });
});

test('two owners cannot share a name, two processes in one test can', () => {
  const metrics = new Metrics();
  const name = { name: 'depth', help: 'x', labels: [] };
  metrics.gauge(name);
  expect(() => metrics.gauge(name)).toThrow('depth');
  expect(() => new Metrics().gauge(name)).not.toThrow();
});

test('the process is watched on request', async () => {
  const metrics = new Metrics();
  metrics.watchProcess();
  const text = await metrics.text();
  for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_eventloop_lag_seconds']) {
    expect(text).toContain(`\n${name}`);
  }
});
