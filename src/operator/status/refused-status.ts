import type { Kind } from '../../api/kind.ts';
import type { Condition } from '../../api/v1alpha1/condition.schema.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { AnyJudgement } from './conditions.ts';
import { withJudgements } from './conditions.ts';

/** The part of a status that says that nothing is done. Everything else in it stays as it is. */
export interface RefusedStatus {
  readonly observedGeneration: number;
  readonly conditions: readonly Condition[];
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
