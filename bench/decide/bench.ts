import { decide } from '../../src/decide.ts';
import { largeSnapshot } from './large-snapshot.ts';

const rounds = 15;

/** How long one decision takes, and how that grows with the number of units. */
export async function bench(): Promise<void> {
  console.log(
    `decide: 1,000 process groups on 500 nodes, median of ${rounds} after warm-up; two of the nodes are being drained`,
  );
  const figures = [2_000, 20_000, 200_000].map((units) => ({ units, time: median(largeSnapshot(1_000, 500, units)) }));
  for (const { units, time } of figures)
    console.log(`  ${String(units).padStart(7)} units   ${time.toFixed(1).padStart(7)} ms`);
  const [small, middle, large] = figures.map(({ time }) => time);
  if (small === undefined || middle === undefined || large === undefined) return;
  console.log(
    `  ten times the units: ${(middle / small).toFixed(1)} times the time; again: ${(large / middle).toFixed(1)}`,
  );
  console.log(`  goal for 20,000 units: under 20 ms; ${middle < 20 ? 'met' : 'missed'}`);
}

function median(snapshot: Parameters<typeof decide>[0]): number {
  for (let round = 0; round < 20; round++) decide(snapshot);
  const times = Array.from({ length: rounds }, () => {
    const started = performance.now();
    decide(snapshot);
    return performance.now() - started;
  });
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
}
