import { describe, expect, test } from 'vitest';
import { seconds, sleep } from '../../kube/clock.ts';
import type { GuardedStore } from './testing/guarded-store.ts';
import { guardedStore } from './testing/guarded-store.ts';
import { kubectlDrain, uncordon } from './testing/kubectl-drain.ts';

const { signal } = new AbortController();

/** How a drain ended. */
interface End {
  readonly exit: number | undefined;
  /** Whether the pod is another one now, somewhere else or waiting for its disk. */
  readonly isAnother: boolean;
  readonly copies: number;
  readonly excluded: number;
  readonly open: readonly string[];
  readonly counts: object;
  readonly grants: number;
  readonly evacuations: number;
  readonly lost: number;
}

interface Death {
  readonly write: number;
  readonly landed: boolean;
}

/**
 * The data of one of four is moved away, its pod goes and comes back, and is used again. The operator dies at the write that is named, counted from
 * the moment that somebody drains the node, and is started again a few seconds later.
 */
async function drainOne(death?: Death): Promise<End & { readonly writes: readonly string[] }> {
  const guarded = await guardedStore({
    spec: { drainPolicy: 'block-for-eviction' },
    store: { bytesPerSecond: 2 ** 30 },
    storageClass: 'local',
    endless: true,
  });
  const { world } = guarded;
  try {
    const { pod, node, uid } = guarded.holder();
    const before = world.writes.length;
    if (death !== undefined) world.killAtWrite(before + death.write, death.landed);
    const exit = await whileRevived(
      guarded,
      kubectlDrain(world, node, { timeout: 900, wait: (time) => sleep(world.clock, seconds(time), signal) }),
    );
    await uncordon(world, node);
    for (let waited = 0; waited < 120; waited += 5) {
      await world.pass(5);
      await revive(guarded);
    }
    const { counts, grants, processes } = await guarded.status();
    return {
      exit: exit?.exit,
      isAnother: guarded.pod(pod)?.uid !== uid,
      copies: guarded.store.whole().units.filter(({ replicas }) => replicas.length >= 2).length,
      excluded: guarded.store.whole().processes.filter(({ excluded }) => excluded !== false).length,
      open: guarded.pods().flatMap(({ name, labels }) => (labels['drover.dev/guard'] === 'open' ? [name] : [])),
      counts,
      grants: grants.length,
      evacuations: processes.filter(({ evacuationTimestamp }) => evacuationTimestamp !== null).length,
      lost: guarded.store.truth().lost.length,
      writes: world.writes.slice(before),
    };
  } finally {
    await world.end();
  }
}

/** Whoever runs the operator starts it again when it is gone. */
async function whileRevived<T>({ world }: GuardedStore, work: Promise<T>): Promise<T | undefined> {
  const state: { result?: T; isOver: boolean } = { isOver: false };
  const settled = work.then((result) => Object.assign(state, { result, isOver: true }));
  while (!state.isOver) {
    await revive({ world });
    await world.pass(1);
  }
  await settled;
  return state.result;
}

async function revive({ world }: Pick<GuardedStore, 'world'>): Promise<void> {
  if (!world.isDead) return;
  await world.killOperator();
  await world.pass(10);
  world.startOperator();
}

const { writes, ...undisturbed } = await drainOne();

describe('the operator is killed at every single write of a guarded drain', () => {
  test('undisturbed, the pod has gone, and is used again', () => {
    expect(undisturbed).toEqual({
      exit: 0,
      isAnother: true,
      copies: 6,
      excluded: 0,
      open: [],
      counts: { pods: 4, processes: 4, responding: 4, leaving: 0, waiting: 0 },
      grants: 0,
      evacuations: 0,
      lost: 0,
    });
    expect(writes.length).toBeGreaterThan(5);
  });

  // Done and not done in turn; both at every write with DROVER_ALL_DEATHS.
  const deaths = writes.flatMap((what, index): (Death & { readonly what: string })[] => {
    const write = index + 1;
    const both = [true, false].map((landed) => ({ write, landed, what }));
    return process.env['DROVER_ALL_DEATHS'] === undefined
      ? both.filter(({ landed }) => landed === (write % 2 === 0))
      : both;
  });
  test.each(deaths)('at write $write, $what, done: $landed', async (death) => {
    const { writes: _, ...end } = await drainOne(death);
    expect(end).toEqual(undisturbed);
  });
});
