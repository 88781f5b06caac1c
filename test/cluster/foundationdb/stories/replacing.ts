import { expect } from 'vitest';
import { sharedPool } from '../stage.ts';
import type { Story } from '../story.ts';
import { roles } from '../story.ts';
import type { StoryCluster } from '../story-cluster.ts';
import { eventually } from '../story-cluster.ts';

const fewer = roles(sharedPool, { storage: 2, log: 3, stateless: 1 });

/** The process groups of storage, and which of them are marked, at every moment. */
const moments = (cluster: StoryCluster) =>
  cluster.history.map(({ status }) => {
    const rows = status.processGroups.filter(({ role }) => role === 'storage');
    return {
      all: rows.length,
      marked: rows.flatMap((row) => (row.removalTimestamp === null ? [] : [row.processGroupID])),
    };
  });

export const replacing: readonly Story[] = [
  {
    says: 'a replacement is growing, then shrinking; taking it off the list again is no cancel',
    goes: async (cluster) => {
      const { id } = cluster.plain('storage');
      const before = cluster.ids('storage');
      await cluster.change({ processGroupsToRemove: [id] });
      await eventually(() => expect(cluster.everMarked()).toEqual([id]));
      expect(cluster.whenMarked(id)).toMatchObject({ removalReason: 'Requested', exclusionSkipped: false });
      await cluster.change({ processGroupsToRemove: [] });
      await cluster.isGone(id);
      await cluster.settles();
      // One more for as long as it took, and one for one in the end.
      expect(Math.max(...moments(cluster).map(({ all }) => all))).toBe(before.length + 1);
      expect(cluster.ids('storage').filter((one) => !before.includes(one))).toHaveLength(1);
      expect(cluster.ids('storage')).toHaveLength(before.length);
      for (const reason of ['Requested', 'Grow', 'Leaving', 'Drained', 'Removed', 'IncludedAgain'])
        await eventually(async () => expect(await cluster.events(reason), reason).not.toEqual([]));
      expect(cluster.exclusions).toEqual([]);
      await cluster.lostNothing();
    },
  },
  {
    says: 'a shrink takes the one that is marked, and nothing is added for it',
    goes: async (cluster) => {
      const [before, { id }] = [cluster.ids('storage'), cluster.plain('storage')];
      await cluster.change({ processGroupsToRemove: [id], roles: fewer });
      await cluster.isGone(id);
      await cluster.settles();
      expect(cluster.ids('storage')).toEqual(before.filter((one) => one !== id));
      for (const { all, marked } of moments(cluster)) {
        expect(all).toBeLessThanOrEqual(before.length);
        expect(marked.filter((one) => one !== id)).toEqual([]);
      }
      expect(await cluster.events('Shrink')).toEqual([]);
      await cluster.lostNothing();
    },
  },
  {
    says: 'a shrink without marks chooses one, and says why',
    goes: async (cluster) => {
      const before = cluster.ids('storage');
      await cluster.change({ roles: fewer });
      await cluster.settles();
      const gone = before.filter((id) => !cluster.ids('storage').includes(id));
      expect(gone).toEqual(before.slice(-1));
      expect(await cluster.tells('Shrink', 'Mark Normal')).toEqual([
        expect.stringMatching(new RegExp(`^${gone[0]} .*it is the newest`)),
      ]);
      await cluster.lostNothing();
    },
  },
];
