import { describe, expect, test } from 'vitest';
import { loneServer, single, wiki } from './testing/lone-server.ts';

describe('a NodeDrain of a node with a pod that is never evicted', () => {
  test('takes the rest off it, goes on with the next node, and says what holds the first', async () => {
    const { story, node, pod, others } = await loneServer();
    const [next = '', last = ''] = others;
    await story.owned('beside', node);
    for (const other of others) await story.owned(`web-${other}`, other);
    await story.pass(5);
    await story.drain('upgrade', { nodes: [node, next, last] });
    await story.pass(30);
    expect((await story.says('upgrade')).toSorted()).toEqual(
      ['Draining', `${node} Draining 1`, `  ${pod} NeverEvicted`, `${next} Drained 0`, `${last} Drained 0`].toSorted(),
    );
    expect(story.podsOn(node)).toEqual([]);
    for (const one of [node, next, last]) expect(await story.isCordoned(one)).toBe(true);
    expect(await story.reason('upgrade', 'Blocked')).toBe('NeverEvicted');
    expect(story.world.pods('db').map(({ nodeName }) => nodeName)).toEqual([node]);
    expect(story.world.errors).toEqual([]);
  });

  test('ends by itself once its guard thinks better of it', async () => {
    const { story, node, others } = await loneServer();
    const [next = ''] = others;
    await story.owned('web', next);
    await story.pass(5);
    await story.drain('upgrade', { nodes: [node, next] });
    await story.pass(30);
    expect(await story.says('upgrade')).toContain(`${next} Drained 0`);
    await story.world.change(wiki, { roles: [single(['drained'])] });
    expect(await story.until('upgrade', 'Completed', 600)).toBe(true);
  });
});
