import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { epochMillis, minutes, seconds } from '../../kube/clock.ts';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import { nobody } from './audience.ts';
import { maintenanceTaint } from './databases.ts';
import { Demo } from './demo.ts';
import { Drain } from './drain.ts';
import { look } from './look.ts';
import { GroupWatcher } from './look-at-groups.ts';
import { taint } from './people.ts';
import { groupsOn, nodeOf } from './places.ts';
import type { GroupInView, ViewState } from './view-state.ts';

let demo: Demo;
let groups: GroupWatcher;

beforeEach(async () => {
  demo = new Demo({ clock: new VirtualClock(), begin: epochMillis(Date.UTC(2026, 10, 8)), audience: nobody });
  groups = new GroupWatcher();
  await demo.start();
});
afterEach(() => demo.stop());

const now = (): ViewState =>
  look({ world: demo.world, chronicle: demo.chronicle, groups, speed: 60 }, { act: null, terminal: [] }, []);
const nodes = () => now().zones.flatMap((zone) => zone.nodes);
const node = (name: string) => nodes().find((one) => one.name === name);
const group = (id: string): GroupInView | undefined =>
  [...nodes().flatMap((one) => one.groups), ...now().unplaced].find((one) => `${one.database}/${one.id}` === id);
const database = (name: string) => now().databases.find((one) => one.name === name);
const pass = (time: ReturnType<typeof minutes>) => demo.clock.hurry(demo.world.pass(time));

describe('what there is to see', () => {
  test('at rest: nine ready nodes in three zones, everybody serves or leads, and nobody waits', () => {
    const { zones, unplaced, databases, time } = now();
    expect(zones.map(({ name }) => name)).toEqual(['z1', 'z2', 'z3']);
    expect(zones.map((zone) => zone.nodes.map(({ name }) => name).join(' '))).toEqual([
      'n1 n4 n7',
      'n2 n5 n8',
      'n3 n6 n9',
    ]);
    expect(nodes().flatMap(({ marks }) => marks)).toEqual([]);
    const states = new Set(nodes().flatMap((one) => one.groups.map(({ state }) => state)));
    expect(states).toEqual(new Set(['serving', 'leading']));
    expect(unplaced).toEqual([]);
    expect(databases.flatMap(({ waits, asks }) => [...waits, ...asks])).toEqual([]);
    expect(time).toMatch(/^2026-11-08 00:0\d:\d\d$/);
  });

  test('a drained node is cordoned, its storage server empties from 0 to 100 percent, and the status says who asked and why it waits', async () => {
    const [storage] = groupsOn(demo.world, 'ledger', 'n3');
    const drain = new Drain(demo.world, 'n3', () => {});
    await demo.clock.hurry(drain.begin());
    const seen: number[] = [];
    await demo.clock.hurry(
      demo.world.waitFor(async () => {
        const { state, percent } = group(`ledger/${storage}`) ?? {};
        if (state === 'emptying' && percent !== null && percent !== undefined) seen.push(percent);
        if (seen.length === 3) {
          expect(database('ledger')?.waits.join()).toContain(`${storage} stays: it is not drained yet`);
          expect(database('ledger')?.asks.join()).toMatch(
            new RegExp(`^jane wants ledger-${storage} gone, since 00:0\\d`),
          );
        }
        return drain.step();
      }, minutes(60)),
    );
    expect(node('n3')?.marks).toEqual(['cordoned']);
    expect(seen.length).toBeGreaterThan(10);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(seen[0]).toBeLessThan(10);
    expect(seen.at(-1)).toBeGreaterThan(80);
    expect(database('ledger')?.done.join('\n')).toContain(`${storage} is replaced: jane wants it gone`);
    expect(database('shop')?.done.join('\n')).toContain('goes: jane asked, and every rule agrees');
  });

  test('a taint is a mark on its node, and one of Kubernetes is none', async () => {
    await demo.clock.hurry(taint(demo.world, 'n4', maintenanceTaint));
    await demo.clock.hurry(new Drain(demo.world, 'n5', () => {}).begin());
    await pass(seconds(5));
    expect([node('n4')?.marks, node('n5')?.marks]).toEqual([[`tainted ${maintenanceTaint}`], ['cordoned']]);
  });

  test('a machine that is gone is dead, and so is what was on it', async () => {
    const place = nodeOf(demo.world, 'reports', 'single-1') ?? '';
    demo.world.cluster.killNode(place);
    await pass(minutes(2));
    expect(node(place)?.marks).toContain('dead');
    expect(group('reports/single-1')?.state).toBe('down');
  });

  test('a server whose disk died fills again', async () => {
    const { cluster } = demo.world;
    const victim = cluster.processes().find(({ namespace }) => namespace === 'shop');
    for (const disk of victim?.disks ?? []) cluster.loseDisk(disk);
    await pass(minutes(2));
    const id = victim?.name.replace('shop-', '');
    expect(group(`shop/${id}`)).toMatchObject({ state: 'filling', percent: expect.any(Number) });
  });
});
