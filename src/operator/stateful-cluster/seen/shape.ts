import { z } from 'zod';
import type { Pod } from '../../../kube/resources.ts';
import type { PodShape } from '../../../model/shape.ts';
import { madeFrom } from '../marks.ts';
import { bounded, resourcesOf } from '../pod-shape.ts';
import type { Belonging } from './belonging.ts';

const amounts = z.record(z.string(), z.number());

const podShape: z.ZodType<PodShape> = z.object({
  idPrefix: z.string(),
  publicIPSource: z.enum(['Pod', 'Service']),
  processesPerPod: z.int(),
  nodeSelector: z.record(z.string(), z.string()),
  claimSpecHash: z.string(),
  requests: amounts,
  limits: amounts,
  specHash: z.string(),
});

/**
 * The shape that a pod was made with, by its own annotations. A pod that does not remember, or whose annotations disagree, counts as outdated
 * (an empty `specHash`), and the rest is read off the pod itself: what cannot be known must not look like a change that forces replacement.
 */
export function seenShape(pod: Pod, belonging: Belonging | undefined): PodShape {
  const annotations = pod.metadata.annotations ?? {};
  const shape = parsed(annotations[madeFrom.shape]);
  if (shape === undefined) return readOff(pod, belonging);
  return annotations[madeFrom.specHash] === shape.specHash ? shape : { ...shape, specHash: '' };
}

function parsed(text: string | undefined): PodShape | undefined {
  if (text === undefined) return undefined;
  try {
    return podShape.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const containersOf = z.object({
  containers: z.array(
    z.object({
      name: z.string(),
      resources: z
        .object({ requests: z.record(z.string(), z.string()).exactOptional() })
        .extend({ limits: z.record(z.string(), z.string()).exactOptional() })
        .exactOptional(),
    }),
  ),
});

function readOff({ spec, metadata }: Pod, belonging: Belonging | undefined): PodShape {
  const variables = spec.containers.flatMap(({ env }) => env ?? []);
  const processes = Number(variables.find(({ name }) => name === 'DROVER_PROCESSES_PER_POD')?.value ?? 1);
  return {
    idPrefix: belonging === undefined ? '' : prefixIn(belonging),
    publicIPSource: metadata.annotations?.[madeFrom.publicIP] === undefined ? 'Pod' : 'Service',
    processesPerPod: Number.isInteger(processes) ? processes : 1,
    nodeSelector: bounded(spec.nodeSelector ?? {}),
    claimSpecHash: '',
    ...resourcesOf(containersOf.safeParse(spec).data ?? { containers: [] }),
    specHash: '',
  };
}

/** `blue` of `blue-storage-7`. */
function prefixIn({ group, role }: Belonging): string {
  const rest = group.replace(/-\d+$/, '');
  const kind = role.replaceAll('_', '-');
  return rest.endsWith(`-${kind}`) ? rest.slice(0, -kind.length - 1) : '';
}
