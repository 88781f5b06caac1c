import { afterEach, expect } from 'vitest';
import { ClusterWorld } from './cluster-world.ts';

/** Starts worlds for stories, and sees to it that each ends with nothing running and no model misused. */
export function storyWorlds(): (...options: ConstructorParameters<typeof ClusterWorld>) => Promise<ClusterWorld> {
  const started: ClusterWorld[] = [];
  afterEach(async () => {
    for (const world of started.splice(0)) {
      await world.cluster.stop();
      // The API server's own controllers leave call-backs of zero delay behind, which do nothing any more.
      await world.pass(0);
      expect(world.clock.pending).toBe(0);
      expect(world.cluster.defects).toEqual([]);
    }
  });
  return async (...options) => {
    const world = new ClusterWorld(...options);
    started.push(world);
    return world.start();
  };
}
