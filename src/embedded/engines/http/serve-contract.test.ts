import { expect, test } from 'vitest';
import { HttpEngine } from '../../../engines/http/http-engine.ts';
import { seconds } from '../../../kube/clock.ts';
import { name } from '../../../model/ids.ts';
import { instant } from '../../../model/time.ts';
import { exchangeOver } from '../../../operator/http-engine/exchange-over.ts';
import { storeEngine } from '../../stand-in/store-engine.ts';
import { mebibyte, StoreWorld } from '../replicated-store/testing/given-store.ts';
import { contractTransport } from './serve-contract.ts';

const { signal } = new AbortController();

function given() {
  const world = new StoreWorld({ writtenBytesPerSecond: 20 * mebibyte });
  const transport = contractTransport(world.store);
  const over = new HttpEngine({
    exchange: exchangeOver({ transport, clock: world.clock, limit: seconds(10) }),
    now: () => instant(world.clock.now()),
    groupOf: (pod) => (pod === undefined ? undefined : name(pod)),
  });
  return { world, over, direct: storeEngine(world.store) };
}

const target = (id: string) => ({ group: name<never>(id), processes: [name<never>(id)], addresses: [] });

/** What the engine says over the contract is what it says directly. */
async function expectSame({ over, direct }: ReturnType<typeof given>): Promise<void> {
  const [there, here] = [await over.observe(signal), await direct.observe(signal)];
  expect({ ...there.topology, kinds: undefined }).toEqual({ ...here.topology, kinds: undefined });
  expect(there.jobs).toEqual(here.jobs);
}

test('whatever happens to a store, it is the same over the contract and directly', async () => {
  const all = given();
  const { world, over } = all;
  await expectSame(all);
  await over.evacuate(target('db-1'), signal);
  await world.passSeconds(20);
  await expectSame(all);
  world.stop('db-2');
  await expectSame(all);
  await over.handOff(target('db-3'), signal);
  await over.cancelEvacuation(target('db-1'), signal);
  await expectSame(all);
  await world.passSeconds(3000);
  await expectSame(all);
});

test('its refusals and its silence come over as such', async () => {
  const { world, over } = given();
  await expect(over.evacuate(target('agent-1'), signal)).rejects.toThrow(
    'evacuate of agent-1 was refused (409: agent-1 is no process that holds data)',
  );
  world.store.answer('none');
  await expect(over.observe(signal)).rejects.toThrow('the store does not answer');
});
