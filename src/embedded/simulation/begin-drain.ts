import { AskedDrain } from './asked-drain.ts';
import type { Happening } from './happenings.ts';
import { KubectlDrain } from './kubectl-drain.ts';
import { ObjectDrain } from './object-drain.ts';
import type { Ongoing } from './ongoing.ts';
import { TaintDrain } from './taint-drain.ts';
import type { SimulatedWorld } from './world.ts';

type DrainHappening = Extract<Happening, { readonly what: 'drain' }>;

/** Somebody drains nodes, in whichever way. */
export async function beginDrain(world: SimulatedWorld, { how, nodes, at }: DrainHappening): Promise<Ongoing> {
  const drain = drainOf(world, how, nodes, at);
  await drain.begin();
  return drain;
}

function drainOf(
  world: SimulatedWorld,
  how: DrainHappening['how'],
  nodes: readonly string[],
  at: number,
): Ongoing & { begin(): Promise<void> } {
  switch (how) {
    case 'asked':
      return new AskedDrain(world, nodes);
    case 'kubectl':
    case 'impatient':
      return new KubectlDrain(world, nodes, how === 'impatient');
    case 'NodeDrain':
      return new ObjectDrain(world, nodes, ['drain', at, ...nodes].join('-'));
    case 'taint':
      return new TaintDrain(world, nodes);
  }
}
