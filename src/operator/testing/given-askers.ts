import { name } from '../../model/ids.ts';
import { at, givenGroup, givenNode, givenPod } from '../../model/testing/given.ts';
import type { AskRow } from '../lock/ask-row.ts';
import type { HeardAsk } from '../lock/desk.ts';
import type { Askers } from '../lock/gather-asks.ts';
import { givenAskRow } from './found-pod.ts';

/** A process group whose pod is on this node. */
export const onNode = (id: string, node: string | null) => givenGroup(id, { pod: givenPod(id, { node }) });
/** One on n1 and one on n2. */
export const groups = [onNode('storage-1', 'n1'), onNode('storage-2', 'n2')];
export const taint = (key: string) => ({ key, effect: 'NoSchedule', timeAdded: null }) as const;
export const karpenter = 'karpenter.sh/disrupted';

/** Nobody asks, and both nodes are seen and stay, except as given. */
export const askers = (given: Partial<Askers> = {}): Askers => ({
  now: at(0),
  recorded: [],
  heard: [],
  groups,
  nodes: [givenNode('n1'), givenNode('n2')],
  leaving: { since: at(-3600), ended: new Map() },
  drains: [],
  leavingTaints: [],
  taintEvicted: new Set(),
  forceOf: () => undefined,
  ...given,
});

/** jane evicted storage-1 just now. */
export const heard = (given: Partial<HeardAsk> = {}): HeardAsk => ({
  pod: name('uid-storage-1'),
  by: 'jane',
  since: at(-1),
  lastSeen: at(0),
  times: 1,
  ...given,
});

/** jane's eviction of storage-1, as the status has it. */
export const recorded = (given: Partial<AskRow> = {}): AskRow =>
  givenAskRow('storage-1', { node: name('n1'), ...given });
