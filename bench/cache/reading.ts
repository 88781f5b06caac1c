import { setImmediate } from 'node:timers/promises';

/** What one client needed to have everything in memory. */
export interface Reading {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly rssMegabytes: number;
  readonly peakMegabytes: number;
}

/** Runs `sync` and prints what it took as the last line: the reading of this whole process. */
export async function report(sync: () => Promise<void>): Promise<void> {
  const started = performance.now();
  await sync();
  const seconds = (performance.now() - started) / 1000;
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  globalThis.gc?.();
  await setImmediate();
  const reading: Reading = {
    seconds,
    cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
    rssMegabytes: process.memoryUsage().rss / 1e6,
    peakMegabytes: maxRSS / 1e3,
  };
  console.log(JSON.stringify(reading));
  process.exit(0);
}
