import type { PodView } from '../pod-view.ts';

/** What annotations make a pod do; the same as on the real test control plane (`tools/control-plane/README.md`). */
export interface PodKnobs {
  /** Waits as ContainerCreating that long, or for ever. Undefined: the cluster's usual start time. */
  readonly startAfter: Seconds | undefined;
  readonly ready: boolean;
  readonly fail: string | undefined;
  readonly completeAfter: Seconds | undefined;
  readonly stopAfter: Seconds | undefined;
  /** The pod's address, for an engine that really listens there. */
  readonly address: string | undefined;
}

/** Whole seconds; infinity for `never`. */
type Seconds = number;

const prefix = 'fake.drover.dev/';

/** The label of a node that says whether its kubelet lives: `alive` or `dead`. */
export const kubeletLabel = `${prefix}kubelet`;
/** The annotation of a node, and of a pod, that says whether it is ready. */
export const readyAnnotation = `${prefix}ready`;

export function knobsOf({ annotations }: PodView): PodKnobs {
  const knob = (name: string) => annotations[`${prefix}${name}`];
  return {
    startAfter: secondsOf(knob('start-after-seconds')),
    ready: knob('ready') !== 'false',
    fail: knob('fail'),
    completeAfter: secondsOf(knob('complete-after-seconds')),
    stopAfter: secondsOf(knob('stop-after-seconds')),
    address: knob('pod-ip'),
  };
}

function secondsOf(text: string | undefined): Seconds | undefined {
  if (text === undefined) return undefined;
  if (text === 'never') return Number.POSITIVE_INFINITY;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
