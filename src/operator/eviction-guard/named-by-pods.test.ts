import { describe, expect, test } from 'vitest';
import type { Engine, Target } from '../../engines/engine.ts';
import { name } from '../../model/ids.ts';
import { at, givenProcess, givenTopology } from '../../model/testing/given.ts';
import { namedByPods } from './named-by-pods.ts';

const { signal } = new AbortController();
const pods: Readonly<Record<string, string>> = { '10.0.0.1': 'orders-storage-1', 'fd00::2': 'orders-storage-2' };
const groupAt = (host: string) => {
  const pod = pods[host];
  return pod === undefined ? undefined : name<Target['group']>(pod);
};
const job = { verb: 'Evacuate', state: 'Running', since: at(0), attempts: 1, retryAt: null, message: '' } as const;
const unmeasured = { percent: null, secondsLeft: null };

function engine(): Engine & { readonly told: string[] } {
  const told: string[] = [];
  return {
    told,
    observe: () =>
      Promise.resolve({
        topology: givenTopology({
          processes: [
            givenProcess('p1', { group: 'storage-1', addresses: ['10.0.0.1:4501:tls'] }),
            givenProcess('p2', { group: 'storage-2', addresses: ['[fd00::2]:4501'] }),
            givenProcess('p3', { group: 'storage-3', addresses: ['10.0.0.9:4501'] }),
          ],
        }),
        jobs: ['storage-1', 'storage-3'].map((group) => ({
          ...job,
          ...unmeasured,
          group: name<Target['group']>(group),
        })),
      }),
    evacuate: ({ group }) => Promise.resolve(void told.push(`evacuate ${group}`)),
    handOff: ({ group }) => Promise.resolve(void told.push(`hand-off ${group}`)),
  };
}
const target = (group: string): Target => ({ group: name(group), processes: [], addresses: [] });

describe('an engine with names of its own', () => {
  test('is heard by the names of the pods, and what runs in none of them is nobody’s', async () => {
    const { topology, jobs } = await namedByPods(engine(), { groupAt }).observe(signal);
    expect(topology.processes.map(({ id, group }) => [id, group])).toEqual([
      ['p1', 'orders-storage-1'],
      ['p2', 'orders-storage-2'],
      ['p3', null],
    ]);
    expect(jobs.map(({ group }) => group)).toEqual(['orders-storage-1']);
  });

  test('is told by its own names, and nothing of a pod that it has no name for', async () => {
    const own = engine();
    const named = namedByPods(own, { groupAt });
    await named.observe(signal);
    await named.evacuate?.(target('orders-storage-2'), signal);
    await named.handOff?.(target('coordinators'), signal);
    await expect(named.evacuate?.(target('orders-storage-3'), signal)).rejects.toThrow(
      'the engine has no name for what runs in orders-storage-3',
    );
    expect(own.told).toEqual(['evacuate storage-2', 'hand-off coordinators']);
    expect('forget' in named).toBe(false);
  });
});
