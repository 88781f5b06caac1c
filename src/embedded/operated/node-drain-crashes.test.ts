import { describe, expect, test } from 'vitest';
import { budgets } from '../cluster/resources.ts';
import type { DrainStory } from './testing/drain-story.ts';
import { drainStory } from './testing/drain-story.ts';

/** Some of the writes, done and not done in turn; both at every write with DROVER_ALL_DEATHS. */
function deathsAmong(writes: number): readonly Death[] {
  const all = Array.from({ length: writes }, (_, index) => index + 1).flatMap((write) => [
    { write, landed: false },
    { write, landed: true },
  ]);
  return process.env['DROVER_ALL_DEATHS'] === undefined ? all.filter((_, index) => index % 5 === 0) : all;
}

interface Death {
  readonly write: number;
  readonly landed: boolean;
}

/** Whoever runs the operator starts it again when it is gone. */
async function passWithRestarts({ world }: DrainStory, time: number): Promise<void> {
  for (let waited = 0; waited < time; waited += 5) {
    if (world.isDead) {
      await world.killOperator();
      await world.pass(3);
      world.startOperator();
    }
    await world.pass(5);
  }
}

async function endOf(story: DrainStory): Promise<object> {
  const [n1, n2] = [await story.node('n1'), await story.node('n2')];
  return {
    says: await story.says('upgrade'),
    cordoned: [n1, n2].map(({ spec }) => spec?.unschedulable === true),
    marks: [n1, n2].map(({ metadata }) => metadata.annotations?.['drover.dev/cordoned-by'] ?? null),
    left: [story.podsOn('n1'), story.podsOn('n2')],
  };
}

/** Two nodes with two pods each, given back afterwards; the operator dies at the write that is named. */
async function drainTwo(cancelled: boolean, death?: Death): Promise<{ readonly end: object; readonly writes: number }> {
  const story = await drainStory();
  for (const node of ['n1', 'n2']) {
    await story.owned(`web-${node}`, node, { metadata: { labels: { app: 'web' } } });
    await story.owned(`free-${node}`, node);
  }
  if (cancelled) await story.budget('web', { minAvailable: 2, selector: { matchLabels: { app: 'web' } } });
  await story.pass(5);
  const before = story.world.writes.length;
  if (death !== undefined) story.world.killAtWrite(before + death.write, death.landed);
  await story.drain('upgrade', {
    nodes: ['n1', 'n2'],
    maxConcurrentNodes: 2,
    afterwards: cancelled ? 'KeepCordoned' : 'Uncordon',
  });
  await passWithRestarts(story, 20);
  if (cancelled) await story.cancel('upgrade');
  await passWithRestarts(story, 25);
  return { end: await endOf(story), writes: story.world.writes.length - before };
}

describe.each`
  cancelled | what
  ${false}  | ${'a drain of two nodes that are given back'}
  ${true}   | ${'a drain of two nodes that is cancelled'}
`('$what ends the same wherever the operator dies', ({ cancelled }) => {
  test('at a write, before it lands or after', async () => {
    const whole = await drainTwo(cancelled);
    expect(whole.end).toEqual({
      says: cancelled ? ['gone'] : ['Completed', 'n1 Drained 0', 'n2 Drained 0'],
      cordoned: [false, false],
      marks: [null, null],
      left: cancelled ? [['web-n1'], ['web-n2']] : [[], []],
    });
    expect(whole.writes).toBeGreaterThan(6);
    for (const death of deathsAmong(whole.writes)) {
      expect({ ...death, ...(await drainTwo(cancelled, death)).end }).toEqual({ ...death, ...whole.end });
    }
  });
});

test('an operator that was away goes on where it was', async () => {
  const story = await drainStory();
  await story.owned('web', 'n1', { metadata: { labels: { app: 'web' } } });
  await story.budget('web', { minAvailable: 1, selector: { matchLabels: { app: 'web' } } });
  await story.pass(5);
  await story.drain('upgrade', { nodes: ['n1'] });
  await story.pass(15);
  await story.world.killOperator();
  await story.change(budgets, 'web', { spec: { minAvailable: 0 } });
  await story.pass(60);
  expect(story.podsOn('n1')).toEqual(['web']);
  story.world.startOperator();
  await story.pass(10);
  expect(await story.says('upgrade')).toEqual(['Completed', 'n1 Drained 0']);
});
