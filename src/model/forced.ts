import type { Ask } from './snapshot.ts';

/** By what a pod is forced, and at whose request it goes: the annotation does not say who wrote it, and whoever evicts may not know of it. */
export interface Force {
  readonly why: string;
  readonly source: Ask['source'];
  readonly by: string;
}

/** The annotation by which one pod is let go in spite of the rules. */
const annotation = 'drover.dev/force';

const askers: { readonly [source in Ask['source']]: (by: string) => string } = {
  Eviction: (by) => `evicted by ${by}`,
  NodeDrain: (by) => `asked for by the NodeDrain ${by}`,
  Taint: (by) => `asked for by the taint ${by}`,
  Cordon: (by) => `asked for by ${by}`,
};

/** `forced by the annotation drover.dev/force ("the disk is dead"), evicted by jane`. */
export const forcedInWords = ({ why, source, by }: Force): string =>
  `forced by the annotation ${annotation} ("${why}"), ${askers[source](by)}`;

/** The annotation, where a sentence says that a pod was forced by it; undefined: it says something else. */
export const forcedByIn = (sentence: string): string | undefined =>
  sentence.startsWith(`forced by the annotation ${annotation} `) ? annotation : undefined;
