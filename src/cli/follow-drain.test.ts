import { expect, test } from 'vitest';
import { loneServer } from '../embedded/operated/testing/lone-server.ts';
import { drainExitCodes, farewell } from './drain.ts';
import { lookAt } from './drain-request.ts';
import { whatWaits } from './drain-text.ts';
import { followDrain } from './follow-drain.ts';

test('a drain of two nodes, of which the first never ends, ends with 4 when the second is drained, and says who holds what', async () => {
  const { story, node, pod, others } = await loneServer();
  const [next = ''] = others;
  await story.owned('web', next);
  await story.pass(5);
  await story.drain('upgrade', { nodes: [node, next] });
  const { clock, people } = story.world;
  const said: string[] = [];
  const stop = new AbortController();
  const following = followDrain(
    {
      clock,
      read: (signal) => lookAt(people, 'upgrade', signal),
      until: undefined,
      say: (line) => said.push(line),
      show: () => {},
    },
    stop.signal,
  );
  await story.pass(60);
  stop.abort();
  const { end, status } = await following;
  expect(drainExitCodes[end]).toBe(4);
  expect(said).toContain(`node/${next} drained`);
  const why = `${pod} on ${node}: NeverEvicted: single-1 stays: pods of the role single are never evicted`;
  expect(farewell(end, 'upgrade', whatWaits(status ?? { nodes: [], conditions: [] }))).toEqual([
    'what is left will never go by itself:',
    expect.stringContaining(`  ${why}`),
    expect.stringContaining('kubectl delete nodedrain upgrade takes it back'),
  ]);
});
