/** The label that opens the lock for one pod. Absent, or anything but `open`: closed. */
export const guardLabel = 'drover.dev/guard';

export const open = 'open';
/** Written rather than taken off: a real change makes every write that is still on its way fail. */
export const closed = 'closed';

/** The label of namespaces in which evictions are answered by the webhook. */
export const guardedNamespaceLabel = 'drover.dev/guarded';

/** The annotation by which a person forces one pod: `<uid> <reason>`. */
export const forceAnnotation = 'drover.dev/force';

/** Why a person forces this very pod; undefined: nobody does. An annotation that names another uid was for a pod that is gone. */
export function forceOf(annotations: Readonly<Record<string, string>> | undefined, uid: string): string | undefined {
  const [named = '', ...why] = (annotations?.[forceAnnotation] ?? '').trim().split(/\s+/);
  return named === uid && uid !== '' && why.length > 0 ? why.join(' ') : undefined;
}
