import { statefulCluster } from '../../api/kinds.ts';
import { InvalidObjectError, parseObject } from '../../api/parse.ts';
import type { Condition } from '../../api/v1alpha1/condition.schema.ts';
import type { KubeObject } from '../../kube/object.ts';

/** The status that says: this generation was read. Undefined when it says so already, because quiet means no writes. */
export function observedStatus(
  object: KubeObject & { readonly status?: unknown },
  now: string,
): { readonly observedGeneration: number; readonly conditions: readonly Condition[] } | undefined {
  const generation = object.metadata.generation ?? 0;
  const written = statefulCluster.status.safeParse(object.status ?? {}).data;
  const known = written?.conditions.find(({ type }) => type === 'Ready');
  const judgement = judge(object);
  if (written?.observedGeneration === generation && known?.message === judgement.message) return undefined;
  const others = (written?.conditions ?? []).filter(({ type }) => type !== 'Ready');
  const since = known?.status === judgement.status ? known.lastTransitionTime : now;
  const ready = { type: 'Ready', ...judgement, observedGeneration: generation, lastTransitionTime: since };
  return { observedGeneration: generation, conditions: [...others, ready] };
}

function judge(object: KubeObject): Pick<Condition, 'status' | 'reason' | 'message'> {
  try {
    const { spec } = parseObject(statefulCluster, object);
    const message = `this version of Drover has no engine for ${spec.engine.type}: it reads the spec and changes nothing`;
    return { status: 'Unknown', reason: 'EngineNotSupported', message };
  } catch (error) {
    if (!(error instanceof InvalidObjectError)) throw error;
    return { status: 'False', reason: 'InvalidSpec', message: error.message };
  }
}
