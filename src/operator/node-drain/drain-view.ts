import { nodeDrain } from '../../api/kinds.ts';
import type { Codec } from '../../kube/codec.ts';
import { jsonCodec } from '../../kube/codec.ts';
import type { KeyText, KubeObject } from '../../kube/object.ts';
import type { NodePhase } from '../../model/drain.ts';

/** What is kept of every NodeDrain, to know when to look at it, and which of several has a node. */
export interface DrainView {
  readonly key: KeyText;
  readonly version: string;
  readonly generation: number;
  readonly deleting: boolean;
  readonly createdAt: string;
  readonly completed: boolean;
  /** The nodes that it is not done with, and how far each is. */
  readonly nodes: ReadonlyMap<string, NodePhase>;
  /** Whether its nodes are on record yet. */
  readonly begun: boolean;
}

export const drainViewCodec: Codec<DrainView> = jsonCodec<Raw, DrainView>(drainView);

interface Raw extends KubeObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

function drainView({ metadata, spec, status }: Raw): DrainView {
  const seen = nodeDrain.status.safeParse(status ?? {}).data;
  const rows = (seen?.nodes ?? []).map(({ name, phase }): [string, NodePhase] => [name, phase]);
  const asked = (nodeDrain.spec.safeParse(spec).data?.nodes ?? []).map((name): [string, NodePhase] => [
    name,
    'Pending',
  ]);
  const open = (rows.length > 0 ? rows : asked).filter(([, phase]) => phase !== 'Drained' && phase !== 'Gone');
  return {
    key: metadata.name,
    version: metadata.resourceVersion ?? '',
    generation: metadata.generation ?? 0,
    deleting: metadata.deletionTimestamp !== undefined,
    createdAt: metadata.creationTimestamp ?? '',
    completed: seen?.phase === 'Completed',
    nodes: new Map(open),
    begun: rows.length > 0,
  };
}

/** The drain that has a node and comes before this one; null: this one is the first. What is begun stays begun; then the older one goes first. */
export function holderOf(node: string, own: KeyText, drains: Iterable<DrainView>): string | null {
  const rivals = [...drains].filter(({ completed, nodes }) => !completed && nodes.has(node));
  const rank = ({ nodes, createdAt, key }: DrainView) =>
    `${nodes.get(node) === 'Draining' ? 0 : 1} ${createdAt} ${key}`;
  const [first] = rivals.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
  return first === undefined || first.key === own || !rivals.some(({ key }) => key === own) ? null : first.key;
}
