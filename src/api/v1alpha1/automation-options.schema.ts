import { z } from 'zod';
import { foreignObject, mapOf, seconds, text, wholeNumber } from '../field-types.ts';
import { durationInSecondsSchema } from './duration-in-seconds.ts';
import { taintKey } from './names.schema.ts';
import { zoneLimitSchema } from './zone-limit.ts';

const taintReplacementOption = z.object({
  key: taintKey.describe(
    'The key of the taint. An entry with the exact key wins over *, which stands for every key that is not listed. Value and effect of the taint do not matter.',
  ),
  durationInSeconds: durationInSecondsSchema.describe(
    'How long the taint must have been on the node before its process groups are to be replaced; taintReplacementTimeSeconds runs after that. 9223372036854775807 means never: the taint is reported, and nothing is replaced for it. A plain kubectl apply cannot change a list with that number in it, because it rounds: use kubectl apply --server-side, or 9007199254740991, which means never too.',
  ),
});
export type TaintReplacementOption = Readonly<z.output<typeof taintReplacementOption>>;

const detector = z.object({
  enabled: z
    .boolean()
    .nullable()
    .default(null)
    .describe('Whether the CronJob exists. null: exactly while replacements.enabled is true.'),
  schedule: text({
    pattern: /^(@(hourly|daily|midnight|weekly|monthly|yearly|annually)|[^\s]+( +[^\s]+){4})$/,
    maxLength: 128,
    says: 'must be a cron schedule with five parts, such as */30 * * * *, or @hourly',
  })
    .nullable()
    .default(null)
    .describe('When the CronJob runs, in cron form. null: about once every failureDetectionTimeSeconds.'),
  template: foreignObject()
    .default({})
    .describe(
      "Merged over the CronJob that Drover makes: labels, annotations and any field of its spec. Empty: the CronJob is in the operator's namespace and runs as the operator's own account. Otherwise it is in the cluster's namespace and runs as the account that the template names, or as default: that account must be allowed to get and patch StatefulClusters, to list pods and to get ConfigMaps; for FoundationDB also to get and create pods/exec, unless fdbcli.runIn is Operator; for an http engine also to get the Secrets that engine.http names. Default empty.",
    ),
});

const replacements = z.object({
  enabled: z
    .boolean()
    .default(false)
    .describe('Whether Drover replaces failed and tainted process groups by itself. Default false.'),
  failureDetectionTimeSeconds: seconds()
    .default(7200)
    .describe(
      'How long a process group must have been failing, without a break, before it is replaced. At exactly that many seconds it is due. Default 7200.',
    ),
  maxConcurrentReplacements: wholeNumber({ min: 0 })
    .default(1)
    .describe(
      'How many process groups may be in flight at once for automatic replacement to go on. In flight: marked for removal, whatever marked it, and not yet drained. One that cannot go on before a failed one is replaced does not count: it is empty but for its seat in a quorum of which a member does not answer, or not emptied yet because too few of its role serve. 0: nothing is replaced automatically. Default 1.',
    ),
  // Not `default`: zod drops that from a schema that transforms what it reads, as a duration does.
  taintReplacementOptions: mapOf(taintReplacementOption, 'key', 32)
    .prefault([])
    .describe(
      'Taints on nodes that make Drover replace the process groups there. Empty: off, and Drover does not look at nodes for it. Default empty.',
    ),
  taintReplacementTimeSeconds: seconds()
    .default(1800)
    .describe(
      'How long a process group that is to be replaced because of a taint stays so before it is marked for removal. Default 1800.',
    ),
  maxFaultDomainsWithTaintedProcessGroups: zoneLimitSchema
    .nullable()
    .default(null)
    .describe(
      'A brake for mass events: while more zones than this carry a matching taint, no process group is replaced for taints. A number of zones, or a percentage of all zones such as 10%, rounded down and at least 1. null: no brake.',
    ),
  detector: detector
    .prefault({})
    .describe(
      'A CronJob that looks for missing processes and annotates the cluster when it finds one, which makes Drover look at once.',
    ),
});

const maintenanceModeOptions = z.object({
  useMaintenanceModeChecker: z
    .boolean()
    .default(false)
    .describe(
      "Whether the engine is told before a zone's pods are deleted and made again, so that it does not move their data. Only engines that know such a mode: foundationdb. Default false.",
    ),
  maintenanceModeTimeSeconds: wholeNumber({ min: 1 })
    .default(600)
    .describe('How long the engine holds the mode before it ends by itself. Default 600.'),
});

const deletionModes =
  'All: all at once, which can make the data unavailable. Zone: those of one zone at once. ProcessGroup: one at a time.';

/** `spec.automationOptions` of a StatefulCluster: what Drover does by itself, and how fast. */
export const automationOptions = z.object({
  podUpdateStrategy: z
    .enum(['Replace', 'ReplaceTransactionSystem', 'Delete'])
    .optional()
    .describe(
      'How a changed pod template is rolled out. Delete: each pod is deleted and made again on its volume. Replace: each process group is replaced. ReplaceTransactionSystem: storage and general are deleted, all others replaced. Absent: ReplaceTransactionSystem for foundationdb, Delete for all others.',
    ),
  deletionMode: z
    .enum(['All', 'Zone', 'ProcessGroup'])
    .default('Zone')
    .describe(
      `How many pods are deleted at once to be made again. ${deletionModes} With All and publicIPSource Pod, a majority of FoundationDB's coordinators stays until the seats of those that went are given to others, because a new pod has another address. Default Zone.`,
    ),
  removalMode: z
    .enum(['All', 'Zone', 'ProcessGroup'])
    .default('Zone')
    .describe(
      `How many drained process groups are removed at once, with their volume claims. ${deletionModes} Default Zone.`,
    ),
  waitBetweenRemovalsSeconds: seconds()
    .default(60)
    .describe('How long Drover waits after it began to remove one batch before it begins the next. Default 60.'),
  maxConcurrentReplacements: wholeNumber({ min: 0 })
    .nullable()
    .default(null)
    .describe(
      'How many process groups that a change of the spec forces to be replaced may be in replacement at once. 0: none is. null: all of them, which for a time can need twice the quota.',
    ),
  maintenanceModeOptions: maintenanceModeOptions
    .prefault({})
    .describe("Whether and how the engine's own maintenance mode is used while pods are deleted and made again."),
  replacements: replacements
    .prefault({})
    .describe('When Drover replaces process groups by itself: because they failed, or because their node is tainted.'),
});
