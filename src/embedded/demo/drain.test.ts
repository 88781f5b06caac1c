import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { minutes, seconds } from '../../kube/clock.ts';
import { pods } from '../../kube/resources.ts';
import { Drain } from './drain.ts';
import type { PacedClock } from './paced-clock.ts';
import { groupsOn } from './places.ts';
import { worldUp } from './testing/given-story.ts';
import type { DemoWorld } from './world.ts';

let world: DemoWorld;
let clock: PacedClock;
let printed: string[];
let drain: Drain;

beforeEach(async () => {
  ({ world, clock } = await worldUp());
  printed = [];
  drain = new Drain(world, 'n3', (line) => printed.push(line));
});
afterEach(() => clock.hurry(world.stop()));

const step = () => clock.hurry(drain.step());
const storage = () => `ledger-${groupsOn(world, 'ledger', 'n3')[0]}`;

describe('a drain in the demo', () => {
  test('is an eviction at the API server: refused by the webhook in its own words, and on record in status.asks', async () => {
    const pod = storage();
    await clock.hurry(drain.begin());
    await step();
    await clock.hurry(world.pass(seconds(5)));
    expect(printed.slice(0, 2)).toEqual(['$ kubectl drain n3 --ignore-daemonsets', 'node/n3 cordoned']);
    const group = pod.replace('ledger-', '');
    expect(printed).toContain(
      `error when evicting pods/"${pod}" -n "ledger" (will retry after 5s): admission webhook "evict.drover.dev" denied the request: drover: ${group} stays: it is not drained yet`,
    );
    expect(world.database('ledger').status().asks).toMatchObject([
      { pod, by: 'jane', source: 'Eviction', node: 'n3', nodeCordoned: true, letGoAt: null },
    ]);
    expect(world.database('ledger').row(group)?.removalReason).toBe('Evicted');
  });

  test('is refused by the disruption budget while Drover is dead, and nothing goes', async () => {
    const pod = storage();
    await clock.hurry(world.drover.die());
    await clock.hurry(drain.begin());
    for (let times = 0; times < 3; times++) {
      await step();
      await clock.hurry(world.pass(minutes(1)));
    }
    expect(printed).toContain(
      `error when evicting pods/"${pod}" -n "ledger" (will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget.`,
    );
    expect(drain.left()).toHaveLength(2);
    expect(world.database('ledger').status().asks).toEqual([]);
  });

  test('ends without chasing the pod that has come in the place of the one that left', async () => {
    const server = `shop-${groupsOn(world, 'shop', 'n3')[0]}`;
    await clock.hurry(drain.begin());
    expect(await clock.hurry(world.waitFor(() => drain.step(), minutes(60)))).toBe(true);
    expect(printed.at(-1)).toBe('node/n3 drained');
    const again = await clock.hurry(world.people.get(pods, { namespace: 'shop', name: server }, world));
    expect(again.spec?.nodeName).not.toBe('n3');
    const asks = world.database('shop').status().asks;
    expect(asks).toMatchObject([{ pod: server, by: 'jane', letGoAt: expect.any(String) }]);
  });
});
