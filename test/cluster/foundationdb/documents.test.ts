import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Stage } from './stage.ts';
import { cancelling } from './stories/cancelling.ts';
import { changing } from './stories/changing.ts';
import { deleting } from './stories/deleting.ts';
import { detecting } from './stories/detecting.ts';
import { failing } from './stories/failing.ts';
import { maintaining } from './stories/maintaining.ts';
import { removing } from './stories/removing.ts';
import { replacing } from './stories/replacing.ts';
import { seating } from './stories/seating.ts';
import { tainting } from './stories/tainting.ts';
import type { Story } from './story.ts';
import { clusterOf } from './story.ts';

/** Those that wait longest come first. */
const chapters: Readonly<Record<string, readonly Story[]>> = {
  removing,
  failing,
  maintaining,
  tainting,
  seating,
  cancelling,
  changing,
  deleting,
  replacing,
  detecting,
};

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.set(24);
  stage.keepOperator();
});
afterAll(async () => {
  await stage?.stop();
});

/** As many stories as two cores carry at a time. */
const places = 12;
const queue: (() => void)[] = [];
let free = places;

async function inTurn(play: () => Promise<void>): Promise<void> {
  if (free > 0) free -= 1;
  else await new Promise<void>((resolve) => queue.push(resolve));
  try {
    await play();
  } finally {
    const next = queue.shift();
    if (next === undefined) free += 1;
    else next();
  }
}

describe.concurrent('what the documents say of FoundationDB, on a real control plane', { timeout: 400_000 }, () => {
  describe.each(Object.entries(chapters))('%s', (chapter, stories) => {
    it.each(stories.map((story, index) => [story.says, story, index] as const))('%s', (_, story, index) =>
      inTurn(async () => {
        const cluster = await clusterOf(stage, story, `${chapter}-${index + 1}`);
        await story.goes(cluster);
        expect(stage.errors).toEqual([]);
      }),
    );
  });
});
