/** One thread of a simulation: plays the runs that it is given, one after the other, and sends back what they came to. */
import { parentPort } from 'node:worker_threads';
import { runSeed } from './run-seed.ts';
import type { ScenarioName } from './scenarios.ts';
import { scenario } from './scenarios.ts';

/** A run to be played. */
export interface Order {
  readonly scenario: ScenarioName;
  readonly seed: number;
}

parentPort?.on('message', (order: Order) => {
  void runSeed(scenario(order.scenario, order.seed)).then(
    (outcome) => parentPort?.postMessage(outcome),
    // A run that throws is a defect of the simulation: the thread ends with it, and the pool says so.
    (error: unknown) => {
      throw error;
    },
  );
});
