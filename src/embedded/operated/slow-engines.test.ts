import { expect, onTestFinished, test } from 'vitest';
import { nodes } from '../../kube/resources.ts';
import { OperatedWorld } from './operated-world.ts';
import { foundationdb } from './testing/foundationdb-spec.ts';

const call = { signal: new AbortController().signal };
const taint = 'example.com/maintenance';
const option = { key: taint, durationInSeconds: 600 };
const spec = {
  ...foundationdb,
  roles: foundationdb.roles.map((role) => ({ ...role, count: role.name === 'stateless' ? 1 : 3 })),
  automationOptions: { replacements: { enabled: true, taintReplacementOptions: [option] } },
};

test('databases whose fdbcli hangs hold up no other: a taint is seen within 2 s beside eight of them', async () => {
  const world = new OperatedWorld({ nodes: 9 });
  onTestFinished(() => world.end());
  await world.begin();
  const silent = Array.from({ length: 8 }, (_, index) => `db/a-silent-${index}`);
  for (const key of [...silent, 'db/orders']) await world.create(key, spec);
  expect(await world.until(() => world.isAtRest('db/orders'), 600)).toBe(true);
  for (const key of silent) expect(await world.until(() => world.isAtRest(key), 600)).toBe(true);
  for (const key of silent) world.hang(key);
  const node = (await world.status('db/orders')).processGroups[0]?.nodeName ?? '';
  for (let turn = 0; turn < 12; turn++) {
    const taints = turn % 2 === 0 ? [{ key: taint, effect: 'NoSchedule' }] : [];
    await world.people.patch(nodes, { name: node }, { type: 'merge', body: { spec: { taints } } }, call);
    await world.pass(2);
    const { processGroups } = await world.status('db/orders');
    const seen = processGroups.some(({ conditions }) => conditions.some(({ type }) => type === 'NodeTaintDetected'));
    expect(seen).toBe(turn % 2 === 0);
    await world.pass(7);
  }
});
