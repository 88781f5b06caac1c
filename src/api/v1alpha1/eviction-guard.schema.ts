import { z } from 'zod';
import type { DeepReadonly } from '../deep-readonly.ts';
import { instant, listOf, mapOf, wholeNumber } from '../field-types.ts';
import { withRules } from '../rule.ts';
import { conditionsField } from './condition.schema.ts';
import { guardEngine } from './engine.schema.ts';
import { nonEmptySelector } from './label-selector.schema.ts';
import { lockFields } from './lock.schema.ts';
import { givenName, roleName } from './names.schema.ts';
import {
  dataTravelsField,
  drainPolicyField,
  evictionRequiresField,
  triggerField,
  unitPoliciesField,
} from './policies.schema.ts';
import { processGroupCondition } from './process-group.schema.ts';
import { progressField } from './progress.schema.ts';
import { roleNamesDiffer, rolesFitEngine } from './role-rules.ts';
import { waitingForField } from './waiting-reason.schema.ts';

const role = z.object({
  name: roleName.describe(
    'What these processes are for, as the engine calls it: member, instance-manager, dbserver. Unique in the guard.',
  ),
  selector: nonEmptySelector('roles[].selector').describe(
    "The role's pods, by their labels, in the namespace of the guard. No pod may be selected by two roles or two guards.",
  ),
  dataTravels: dataTravelsField,
  evictionRequires: evictionRequiresField,
});

/** `spec` of an EvictionGuard. */
export const evictionGuardSpec = withRules(
  z.object({
    engine: guardEngine.describe('The system that runs in the guarded pods, and how Drover reads it.'),
    roles: withRules(mapOf(role, 'name', 20).min(1), roleNamesDiffer).describe(
      'Which pods are guarded, by what they are for.',
    ),
    drainPolicy: drainPolicyField,
    trigger: triggerField,
    unitPolicies: unitPoliciesField,
    guardDeletes: z
      .boolean()
      .default(false)
      .describe(
        'Whether a plain DELETE of a guarded pod is refused too, and not only its eviction. The garbage collector, and the end of the namespace, stay free. Default false.',
      ),
  }),
  rolesFitEngine,
);
export type EvictionGuardSpec = DeepReadonly<z.output<typeof evictionGuardSpec>>;
/** A spec as people write it: what has a default may be left out. */
export type EvictionGuardSpecInput = DeepReadonly<z.input<typeof evictionGuardSpec>>;

/** How many processes a guard's status can list. */
export const maxGuardedProcesses = 1000;

const count = () => wholeNumber({ min: 0 }).default(0);

const counts = z.object({
  pods: count().describe('How many pods the roles select.'),
  processes: count().describe('How many processes the engine knows.'),
  responding: count().describe('How many of these respond.'),
  leaving: count().describe('How many pods someone wants gone, or are being emptied.'),
  waiting: count().describe('How many of these may not go yet; each says why.'),
});

/** One row of `status.processes`. */
const guardedProcess = z
  .object({
    process: givenName.describe(
      'The process, as the engine names it; or the name of a pod of which the engine lists no process.',
    ),
    pod: givenName
      .nullable()
      .default(null)
      .describe('The pod that it runs in, or ran in last. null: none that this guard selects.'),
    node: givenName.nullable().default(null).describe('The node of that pod. null: not known.'),
    addresses: listOf(z.string().max(128), 16)
      .default([])
      .describe('The addresses under which the engine has known the processes of that pod.'),
    role: givenName.describe('Its role.'),
    zone: givenName.nullable().default(null).describe('Its zone. null: not known.'),
    responds: z
      .boolean()
      .nullable()
      .default(null)
      .describe('Whether it responds, as the engine sees it. null: the engine does not say.'),
    verdict: z
      .enum(['allow', 'wait', 'never', 'none'])
      .describe(
        'Whether its pod may be evicted now. wait: not yet, and waitingFor says what would change that. never: no. none: there is no pod of it that this guard selects.',
      ),
    evacuationTimestamp: instant()
      .nullable()
      .default(null)
      .describe('When Drover recorded that it tells the engine to move its data away. null: it is not being emptied.'),
    conditions: listOf(processGroupCondition, 16)
      .default([])
      .describe('What is the matter with the pod or its processes, and since when. Empty: nothing is.'),
    waitingFor: waitingForField,
    progress: progressField,
  })
  // A row has one writer. Tracking each of its fields apart would double the size of a large status.
  .meta({ 'x-kubernetes-map-type': 'atomic' });

/** `status` of an EvictionGuard. Written by Drover alone. */
export const evictionGuardStatus = z.object({
  observedGeneration: wholeNumber({ min: 0 })
    .default(0)
    .describe('The metadata.generation of the spec that this status was made from.'),
  observedAt: instant().nullable().default(null).describe('When the engine last gave a whole answer. null: never yet.'),
  counts: counts.prefault({}).describe('The guarded pods in figures.'),
  processes: mapOf(guardedProcess, 'process', maxGuardedProcesses)
    .default([])
    .describe('The processes that the engine knows and the guarded pods, sorted by pod, and whether each may go.'),
  ...lockFields,
  conditions: conditionsField,
});
export type EvictionGuardStatus = DeepReadonly<z.output<typeof evictionGuardStatus>>;
export type GuardedProcess = EvictionGuardStatus['processes'][number];
