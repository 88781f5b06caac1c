import { z } from 'zod';
import { roleKinds } from '../../model/topology.ts';
import { contractVerbs, contractVersion } from './contract.ts';

/**
 * The documents of the contract. Fields that are not named here may come and go. A fact that is left out, null or "unknown" is unknown: nothing
 * is guessed. What has no such way out is required.
 */
const id = z.string().min(1).max(512);
const fact = z.union([z.boolean(), z.literal('unknown')]).nullish();
const moment = z.iso.datetime({ offset: true });
const words = z.string().max(10_000);
const notNegative = z.number().min(0);

const role = z.object({
  name: id.describe('The name that the processes say, and that the spec of the guard or cluster has.'),
  kind: z
    .enum(roleKinds)
    .describe(
      'data: holds copies, perhaps seats in quorums; asked about everything, and removed for good only when drained. member: takes part in a quorum; hands its leadership off before it goes, and the quorum must survive without it. stateless: holds nothing; the rest of its role must keep serving.',
    ),
});

const process = z.object({
  id: id.describe('As the system calls it. Unique, and the same after a restart.'),
  role: id.describe('The name of its role in the spec of the guard or cluster.'),
  pod: id
    .nullish()
    .describe(
      'The name of the pod that it runs in (HOSTNAME in most containers), or in a StatefulCluster the value of DROVER_PROCESS_GROUP. Absent: found by its addresses.',
    ),
  addresses: z
    .array(z.string().max(512))
    .default([])
    .describe('IP addresses, with or without a port. They find the pod where it is not named.'),
  zone: id.nullish().describe('The fault domain that it says it is in.'),
  responds: fact.describe('Alive and answering, as far as the others can tell.'),
  excluded: fact.describe('It was told to give its data and duties away.'),
  drained: fact.describe('It certainly holds no data and no duty any more.'),
  startedAt: moment.nullish().describe('When it was started.'),
});

const replica = z.object({
  process: id.describe('The process that holds this copy. It must be listed.'),
  leader: z.boolean().describe('Whether this copy leads. false everywhere where units have no leader.'),
  state: z
    .enum(['healthy', 'rebuilding', 'failed', 'unused', 'unknown'])
    .nullish()
    .describe('rebuilding: not complete yet. unused: never held data.'),
  inSync: fact.describe('It has everything that was acknowledged.'),
  running: fact.describe('It is being served, and not only lying on a disk.'),
  movingAway: z.boolean().default(false).describe('It was told to move away. It counts until it is gone.'),
  doomed: z.boolean().default(false).describe('It is being deleted, or otherwise not to be counted on.'),
});

const unit = z.object({
  id: id.describe('Unique.'),
  name: words.nullish().describe('As people call it: shard s10042. Absent: unit and its id.'),
  labels: z.record(z.string(), z.string()).default({}).describe('What unitPolicies select by.'),
  attached: fact.describe('In use.'),
  writeConcern: z
    .int()
    .min(0)
    .nullish()
    .describe('How many copies in sync a write needs, where there is such a figure.'),
  replicas: z.array(replica).describe('Every copy, also those that are broken, being made or being deleted.'),
  copying: z
    .object({
      percent: z.number().min(0).max(100),
      bytes: notNegative.nullish(),
      secondsLeft: notNegative.nullish(),
    })
    .nullish()
    .describe('The copy that is being made and will be ready first.'),
  unplaceable: words.nullish().describe('Why no further copy can be placed, in words for people.'),
});

const quorum = z.object({
  id: id.describe('Unique.'),
  name: words.nullish().describe('As people call it. Absent: quorum and its id.'),
  members: z.array(
    z.object({
      process: id.describe('It must be listed.'),
      responds: fact,
      inSync: fact.describe('Level with the leader.'),
    }),
  ),
  leader: z
    .string()
    .max(512)
    .nullish()
    .describe(
      'The id of the member that leads. null: there is none at the moment. Absent, or "unknown": nobody knows.',
    ),
  needed: z
    .int()
    .min(1)
    .nullish()
    .describe('How many members must agree. Absent: more than half of those that are listed.'),
});

const health = z.object({
  available: fact.describe('The system serves requests.'),
  fullyReplicated: fact.describe(
    'Every unit has all the copies that it should have. Nothing is removed for good before.',
  ),
  zonesThatMayFail: z
    .union([z.int().min(0), z.literal('unknown')])
    .nullish()
    .describe('How many more zones may fail before data or service is lost. Absent: no such figure.'),
  secondsSinceRecovery: z
    .union([notNegative, z.literal('unknown')])
    .nullish()
    .describe('Since the system last came back from an outage. Absent: no such figure.'),
});

const job = z.object({
  verb: z.enum(contractVerbs).describe('What was asked for.'),
  group: id.describe('The group of the request, as it came.'),
  state: z.enum(['running', 'done', 'failed']),
  since: moment.describe('Since when it has been in this state.'),
  attempts: z.int().min(1).default(1).describe('How often it was begun.'),
  message: words.default('').describe('How it is going, or why it failed, in words for people.'),
  percent: z.number().min(0).max(100).nullish(),
  secondsLeft: notNegative.nullish(),
});

/** GET /drover/v1/topology */
export const topologySchema = z
  .object({
    observedAt: moment
      .nullish()
      .describe(
        'When this was gathered, by the clock of the Date header. Absent: after the request came. Older than 30 s is not used.',
      ),
    incomplete: words
      .nullish()
      .describe('Set where one of the lists is not whole, with the reason: nothing of the answer is used then.'),
    roles: z
      .array(role)
      .default([])
      .describe('Roles with rules of their own. One that is not listed is of the kind data.'),
    processes: z.array(process).describe('Every process, also those that do not respond.'),
    units: z.array(unit).describe('Everything that exists in copies. An empty list says that there is nothing.'),
    quorums: z.array(quorum).describe('Every group that agrees by majority. An empty list says that there is none.'),
    health: health.default({}).describe('The system as a whole.'),
    jobs: z
      .array(job)
      .default([])
      .describe('What was asked for by verbs and is under way, failed, or was done a short while ago.'),
  })
  .describe('What the system says of its processes, units and quorums at one moment.');

/** GET /drover/v1/health */
export const healthSchema = z
  .object({
    contract: z.string().describe(`The version of the contract that is served: ${contractVersion}.`),
    verbs: z.array(z.string()).describe(`What can be asked for, of ${contractVerbs.join(', ')}. Others are ignored.`),
    system: z.string().max(200).nullish().describe('What answers, for messages: ledger 4.2.'),
  })
  .describe('What the server is, and what it can be asked for.');

/** POST /drover/v1/verbs/{verb} */
export const verbRequestSchema = z
  .object({
    group: id.describe('The process group: for a guard the name of the pod. Given back in the job.'),
    processes: z.array(id).describe('The processes that are meant, by the ids of the topology.'),
    addresses: z
      .array(z.string())
      .describe(
        'Every address by which they were known, for processes that are not listed any more; the id of one that had none.',
      ),
    units: z.array(id).optional().describe('Only the copies of these units. Absent: all that the processes hold.'),
  })
  .describe('Asks for something. Asked again, it changes nothing: the same answer, no second job.');

/** The body of an answer that says no. */
export const refusalSchema = z
  .object({ message: words.describe('Why not, in words for people.') })
  .describe('Why something was refused.');

export type ContractTopology = z.output<typeof topologySchema>;
export type ContractHealth = z.output<typeof healthSchema>;
export type VerbRequest = z.output<typeof verbRequestSchema>;
