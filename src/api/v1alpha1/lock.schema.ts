import { z } from 'zod';
import { freeText, instant, listOf, wholeNumber } from '../field-types.ts';
import { code } from './condition.schema.ts';
import { givenName } from './names.schema.ts';

/** What both kinds that guard pods record about evictions: who asked, what was let go, what the engine was told to do. */

const uid = z.string().max(64);

const grant = z.object({
  pod: givenName.describe('The name of the pod that may go.'),
  uid: uid.describe('The uid of that pod. A pod of the same name that comes later has no grant.'),
  process: givenName.describe('The process group id; for a guard the name of the pod.'),
  node: givenName.nullable().default(null).describe('The node that the pod was on.'),
  grantedAt: instant().describe('When this was recorded, which is before the pod was opened.'),
  askedBy: freeText(256).describe('Who asked: the user of the eviction, or the NodeDrain, taint or cordon.'),
  openedAt: instant()
    .nullable()
    .default(null)
    .describe("When the pod's label was set to open. null: not yet, or not known."),
  closedAt: instant()
    .nullable()
    .default(null)
    .describe('When the label was closed again, because the grant was not used or safety was lost. null: not closed.'),
  goneAt: instant()
    .nullable()
    .default(null)
    .describe('When the pod was first seen to be gone. null: it is still there.'),
  exemption: z
    .object({
      by: freeText(256).describe(
        'What permits it: a field of the spec, or the annotation drover.dev/force, which does not say who wrote it.',
      ),
      reason: freeText(512).describe('Why, in the words of whoever permitted it, and who evicted the pod.'),
    })
    .nullable()
    .default(null)
    .describe(
      'Set when the pod was let go although a rule held it: what permitted that, and why. null: every rule agreed.',
    ),
});
/** One pod that may go now. */
export type Grant = Readonly<z.output<typeof grant>>;

const ask = z.object({
  pod: givenName.describe('The name of the pod that someone wants gone.'),
  uid: uid.describe('The uid of that pod.'),
  process: givenName.describe('The process group id; for a guard the name of the pod.'),
  node: givenName.nullable().default(null).describe('The node that the pod was on.'),
  source: z.enum(['Eviction', 'NodeDrain', 'Taint', 'Cordon']).describe('How it was asked.'),
  by: freeText(256).describe(
    'Who asked: a user, the name of the NodeDrain, the key of the taint, or the node that was cordoned.',
  ),
  since: instant().describe('When it was first asked.'),
  lastSeen: instant().describe('When it was last asked. Written at most once a minute.'),
  times: wholeNumber({ min: 0 })
    .default(1)
    .describe(
      'How often it was asked. Written at most once a minute. 0: not this pod was evicted, but another one of its cordoned node: leadership and data of this one move as well, or it is replaced, and it is not evicted on that account. The times are those of the other one then.',
    ),
  nodeCordoned: z
    .boolean()
    .nullable()
    .default(null)
    .describe(
      'Whether the node was cordoned when it was asked, or had a taint of --leaving-taint: its end takes the ask back then. null: the node was not seen then.',
    ),
  letGoAt: instant()
    .nullable()
    .default(null)
    .describe('When the pod was let go. Kept for ten minutes, so that the same asker is not sent after its successor.'),
});
/** Someone wants a pod gone. */
export type Ask = Readonly<z.output<typeof ask>>;

const job = z.object({
  id: z.string().max(128).describe("Drover's own name for the job."),
  verb: z
    .enum(['HandOff', 'Evacuate', 'CancelEvacuation', 'Forget', 'Maintenance', 'Create', 'Evict'])
    .describe('What the engine was told to do; Create, Evict: what the API server was, and refused.'),
  process: givenName.describe('The process or zone that it is about.'),
  engineJob: givenName.nullable().default(null).describe("The engine's own id of the job, where it gives one."),
  state: z
    .enum(['Recorded', 'Running', 'Done', 'Failed'])
    .describe(
      'Recorded: written down, perhaps told. Running, Done, Failed: as the engine says. Of a CancelEvacuation, Running: written down, perhaps told; Recorded: taken back.',
    ),
  since: instant().describe('When the job was recorded, which is before the engine was told.'),
  progressPercent: wholeNumber({ min: 0, max: 100 })
    .nullable()
    .default(null)
    .describe('How far it is. null: the engine does not say.'),
  attempts: wholeNumber({ min: 0 }).default(0).describe('How often it was tried.'),
  retryAt: instant().nullable().default(null).describe('When a failed job is tried again. null: not waiting for that.'),
  reason: code.nullable().default(null).describe('Why it failed, as a code. null: it did not.'),
  message: freeText(512).default('').describe("Why it failed, in the engine's words."),
});
/** One thing that the engine was told to do. */
export type Job = Readonly<z.output<typeof job>>;

/** The fields `grants`, `asks` and `jobs` of a status. */
export const lockFields = {
  grants: listOf(grant, 1000)
    .default([])
    .describe('Pods that may go now or have just gone. Each counts as gone until the engine shows the result.'),
  asks: listOf(ask, 1000).default([]).describe('Pods that someone wants gone, or off their node, and who.'),
  jobs: listOf(job, 1000).default([]).describe('What the engine was told to do, and how far it is.'),
};
