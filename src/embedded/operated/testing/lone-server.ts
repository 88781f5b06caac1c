import { expect } from 'vitest';
import type { StatefulClusterSpecInput } from '../../../api/v1alpha1/stateful-cluster.schema.ts';
import type { RoleName } from '../../../model/ids.ts';
import { name } from '../../../model/ids.ts';
import type { DrainStory } from './drain-story.ts';
import { drainStory } from './drain-story.ts';

/** Where the lone server is. */
export const wiki = 'db/wiki';

/** Its one role, with what has to hold before its pod is evicted. */
export const single = (
  evictionRequires: readonly ('drained' | 'never')[],
): StatefulClusterSpecInput['roles'][number] => ({
  name: 'single',
  count: 1,
  template: { spec: { containers: [{ name: 'wiki', image: 'wiki:1' }] } },
  volumeClaimTemplate: {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'local',
    resources: { requests: { storage: '10Gi' } },
  },
  evictionRequires: [...evictionRequires],
});

/** A small cluster with a wiki on it, whose only server is never evicted, and two nodes without it. */
export async function loneServer(): Promise<{
  readonly story: DrainStory;
  readonly node: string;
  readonly pod: string;
  readonly others: readonly string[];
}> {
  // Without a quorum, which the only one of its members could never leave.
  const store = { dataRole: name<RoleName>('single'), quorumRole: name<RoleName>('none'), replicationFactor: 1 };
  const story = await drainStory({ store });
  const { world } = story;
  await world.create(wiki, { engine: { type: 'http', http: { url: 'http://wiki.db' } }, roles: [single(['never'])] });
  expect(await world.until(() => world.isAtRest(wiki), 300)).toBe(true);
  const [row] = (await world.status(wiki)).processGroups;
  const node = row?.nodeName ?? '';
  const others = ['n1', 'n2', 'n3'].filter((one) => one !== node);
  return { story, node, pod: `${wiki}-${row?.processGroupID}`, others };
}
