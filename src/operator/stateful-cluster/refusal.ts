import type { Kind } from '../../api/kind.ts';
import { InvalidObjectError } from '../../api/parse.ts';
import type { Condition } from '../../api/v1alpha1/condition.schema.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { EngineType } from '../../model/cluster-spec.ts';
import type { Cluster } from './cluster.ts';
import type { AnyJudgement, Judgement } from './conditions.ts';
import { withJudgements } from './conditions.ts';

/** The part of a status that says that nothing is done. Everything else in it stays as it is. */
export interface RefusedStatus {
  readonly observedGeneration: number;
  readonly conditions: readonly Condition[];
}

/** The cluster, or why nothing is done about it: it breaks a present rule, or there is no engine for it. */
export function acceptedOrRefused(
  read: () => Cluster,
  isSupported: (engine: EngineType) => boolean,
): { readonly cluster: Cluster } | { readonly refusal: Judgement<'Ready'> } {
  try {
    const cluster = read();
    const { type } = cluster.spec.engine;
    if (isSupported(type)) return { cluster };
    const message = `this version of Drover has no engine for ${type}: it reads the spec and changes nothing`;
    return { refusal: { type: 'Ready', status: 'Unknown', reason: 'EngineNotSupported', message } };
  } catch (error) {
    if (!(error instanceof InvalidObjectError)) throw error;
    return { refusal: { type: 'Ready', status: 'False', reason: 'InvalidSpec', message: error.message } };
  }
}

/** What to write of a refusal. Undefined when the status says so already, because quiet means no writes. */
export function refusedStatus(
  kind: Pick<Kind<string, unknown, RefusedStatus>, 'status'>,
  object: KubeObject & { readonly status?: unknown },
  refusal: AnyJudgement,
  now: string,
): RefusedStatus | undefined {
  const generation = object.metadata.generation ?? 0;
  const written = kind.status.safeParse(object.status ?? {}).data;
  const before = written?.conditions ?? [];
  const conditions = withJudgements(before, [refusal], { generation, now });
  const [ready] = conditions;
  const known = before.find(({ type }) => type === refusal.type);
  const isSaid =
    known?.status === ready?.status && known?.reason === ready?.reason && known?.message === ready?.message;
  return written?.observedGeneration === generation && isSaid
    ? undefined
    : { observedGeneration: generation, conditions };
}
