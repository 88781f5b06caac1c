import { expect, test } from 'vitest';
import { nodeDrain } from '../api/kinds.ts';
import { kubectlDrain } from '../embedded/operated/testing/kubectl-drain.ts';
import { runningCluster } from '../embedded/operated/testing/running-cluster.ts';
import { jsonLogger } from '../kube/log.ts';
import { seededRandom } from '../kube/random.ts';
import { whatIf } from '../operator/node-drain/what-if.ts';
import { aheadExitCode } from './drain.ts';
import { prospectsOf, prospectsTable } from './drain-text.ts';

test('drover drain --dry-run says of what nobody asked for what kubectl drain --dry-run=server says', async () => {
  const cluster = await runningCluster({ drainPolicy: 'block-for-eviction' });
  const { world } = cluster;
  const [id = ''] = await cluster.ids('storage');
  const node = cluster.pod(id)?.nodeName ?? '';
  const before = world.writes.length;
  const logger = jsonLogger({ clock: world.clock, level: 'error' });
  const parts = { client: world.people, clock: world.clock, random: seededRandom(3), logger };
  const looking = whatIf(parts, [node], nodeDrain.spec.parse({ nodes: [node] }), new AbortController().signal);
  await world.pass(5);
  const plan = await looking;
  const row = prospectsOf(plan).find(({ pod }) => pod === `db/orders-${id}`);
  const { said } = await kubectlDrain(world, node, { dryRun: true });
  expect(row).toMatchObject({ would: 'wait', code: 'NotDrained', message: `${id} stays: it is not drained yet` });
  expect(said).toContain(`Warning: drover: ${row?.message}`);
  expect(prospectsTable(prospectsOf(plan))).toMatch(new RegExp(`db/orders-${id} +wait +${id} stays: it is not`));
  expect(aheadExitCode(plan)).toBe(0);
  expect(world.writes.length).toBe(before);
});

test.each([
  ['never', 4],
  ['going', 0],
  ['done', 0],
] as const)('a look ahead that ends %s ends with %d', (outlook, code) => {
  expect(aheadExitCode({ outlook })).toBe(code);
});
