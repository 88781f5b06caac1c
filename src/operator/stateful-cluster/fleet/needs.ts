import { z } from 'zod';
import { thousandths } from '../../../api/quantity.ts';
import type { ProcessGroup } from '../../../model/process-group.ts';
import type { Resources } from '../../../model/shape.ts';
import type { Cluster } from '../cluster.ts';
import type { PodTemplate, Role, TemplateContainer } from '../pod-template.ts';
import { templateOf } from '../pod-template.ts';

/** What of the objects of a process group is counted. */
export type Lacking = Pick<ProcessGroup, 'pod' | 'claim' | 'service'>;

/** Nothing of it is there yet. */
export const nothingYet: Lacking = { pod: null, claim: null, service: null };

/** What the objects that a process group of this role lacks use, by the names that quotas have for it. */
export function needsOf(cluster: Cluster, role: Role, { pod, claim, service }: Lacking): Resources {
  const needs = new Map<string, bigint>();
  const add = (name: string, amount: bigint) => needs.set(name, (needs.get(name) ?? 0n) + amount);
  if (pod === null) addPod(templateOf(cluster, role).spec, add);
  if (claim === null) addClaim(role, add);
  if (service === null && cluster.spec.publicIPSource === 'Service') addCounted('services', add);
  return Object.fromEntries([...needs].map(([name, amount]) => [name, Number(amount) / 1000]));
}

type Add = (name: string, amount: bigint) => void;
const one = 1000n;

function addCounted(plural: string, add: Add): void {
  add(plural, one);
  add(`count/${plural}`, one);
}

/** The containers together, or the largest of those that run one by one before them, whichever is more. */
function addPod({ containers, initContainers = [] }: PodTemplate['spec'], add: Add): void {
  addCounted('pods', add);
  const stays = ({ restartPolicy }: TemplateContainer) => restartPolicy === 'Always';
  const together = [...containers, ...initContainers.filter(stays)].map(usesOf);
  const before = initContainers.filter((container) => !stays(container)).map(usesOf);
  const names = new Set([...together, ...before].flatMap((uses) => [...uses.keys()]));
  for (const name of names) {
    const of = (uses: ReadonlyMap<string, bigint>) => uses.get(name) ?? 0n;
    const sum = together.reduce((all, uses) => all + of(uses), 0n);
    add(
      name,
      before.reduce((most, uses) => (of(uses) > most ? of(uses) : most), sum),
    );
  }
}

/** A limit without a request is the request as well. */
function usesOf({ resources: { requests = {}, limits = {} } = {} }: TemplateContainer): ReadonlyMap<string, bigint> {
  const uses = new Map<string, bigint>();
  for (const [name, quantity] of Object.entries({ ...limits, ...requests })) {
    const amount = thousandths(quantity) ?? 0n;
    uses.set(`requests.${name}`, amount);
    uses.set(name, amount);
  }
  for (const [name, quantity] of Object.entries(limits)) uses.set(`limits.${name}`, thousandths(quantity) ?? 0n);
  return uses;
}

/** What is read of the spec of a claim. What is not as it should be counts as absent: the API server judges it. */
const claimSpec = z.looseObject({
  storageClassName: z.string().optional().catch(undefined),
  resources: z
    .looseObject({ requests: z.looseObject({ storage: z.union([z.string(), z.number()]) }) })
    .optional()
    .catch(undefined),
});

function addClaim({ volumeClaimTemplate }: Role, add: Add): void {
  if (volumeClaimTemplate === undefined) return;
  const { storageClassName, resources } = claimSpec.parse(volumeClaimTemplate);
  addCounted('persistentvolumeclaims', add);
  const size = thousandths(resources?.requests.storage ?? '') ?? 0n;
  add('requests.storage', size);
  if (storageClassName === undefined) return;
  const ofClass = `${storageClassName}.storageclass.storage.k8s.io`;
  add(`${ofClass}/persistentvolumeclaims`, one);
  add(`${ofClass}/requests.storage`, size);
}
