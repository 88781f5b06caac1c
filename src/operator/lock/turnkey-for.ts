import type { EngineType } from '../../model/cluster-spec.ts';
import type { ProcessGroup } from '../../model/process-group.ts';
import type { ControllerContext } from '../controller.ts';
import { isLocked } from './is-locked.ts';
import { Turnkey } from './turnkey.ts';

/** What is guarded, of either kind. */
interface Guarded {
  readonly namespace: string;
  readonly spec: { readonly engine: { readonly type: EngineType } };
}

/** Who turns the locks of these process groups. */
export function turnkeyFor(
  { client, desk }: Pick<ControllerContext, 'client' | 'desk'>,
  { namespace, spec }: Guarded,
  groups: readonly ProcessGroup[],
): Turnkey {
  const isOpen = (name: string) =>
    groups.some(({ pod, role }) => pod?.name === name && (pod.open || !isLocked(spec.engine.type, role)));
  return new Turnkey(client, desk, namespace, isOpen);
}
