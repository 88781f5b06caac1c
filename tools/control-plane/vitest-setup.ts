import { ensureControlPlane } from './build.ts';

/** Vitest's global setup: the first build takes longer than any test may. */
export default async function setup(): Promise<void> {
  await ensureControlPlane();
}
