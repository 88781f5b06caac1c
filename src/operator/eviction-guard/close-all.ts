import type { ControllerContext } from '../controller.ts';
import { Turnkey } from '../lock/turnkey.ts';
import { isNoError } from '../no-error.ts';
import type { NamespaceSeen } from './pods-on-demand.ts';

/** Takes the open label off pods whose guard is gone, so that the next guard finds them closed. A pod that has changed or gone is left alone. */
export async function closeAll(
  { client, desk }: Pick<ControllerContext, 'client' | 'desk'>,
  namespace: string,
  guarded: ReadonlySet<string>,
  seen: NamespaceSeen | undefined,
  signal: AbortSignal,
): Promise<void> {
  const turnkey = new Turnkey(client, desk, namespace, () => false);
  for (const { pod } of seen?.pods ?? []) {
    if (!pod.open || pod.deletingSince !== null || !guarded.has(pod.name)) continue;
    try {
      await turnkey.close(pod.name, pod, signal);
    } catch (error) {
      if (!isNoError(error)) throw error;
    }
  }
}
