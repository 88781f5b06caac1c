import type { RoleName } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import type { Known } from '../../model/known.ts';
import type { Instant } from '../../model/time.ts';
import { instant } from '../../model/time.ts';
import type { Process } from '../../model/topology.ts';
import { withoutOrigin } from './address.ts';
import type { Coordinator } from './coordinators.ts';
import { isDrained, isUnreachable } from './drained.ts';
import type { Exclusion } from './exclusions.ts';
import { isExcluded } from './exclusions.ts';
import type { ListedProcess } from './listed-process.ts';
import type { Status } from './status.schema.ts';

/** A process as Drover sees it, and what the status says of it. */
export interface ProcessView {
  readonly process: Process;
  readonly listed: ListedProcess;
}

/** What the facts about one process are taken from. */
export interface Sources {
  readonly status: Status;
  readonly coordinators: readonly Coordinator[];
  readonly exclusions: Known<readonly Exclusion[]>;
  /** When the status had come. */
  readonly answeredAt: Instant;
}

/** One process of the status. */
export function viewOf(listed: ListedProcess, sources: Sources): ProcessView {
  const { address, class_type = 'unset', uptime_seconds } = listed.status;
  const excluded = isExcluded(listed, sources.exclusions);
  const process: Process = {
    id: listed.id,
    group: listed.group,
    // A process without a class does whatever is needed.
    role: name<RoleName>(class_type === 'unset' ? 'general' : class_type),
    zone: listed.zone,
    addresses: address === undefined || address === '' ? [] : [withoutOrigin(address)],
    // Who does not answer is dropped from the list after a while.
    responds: !isUnreachable(listed, sources.status),
    excluded,
    drained: isDrained(listed, excluded, sources),
    // Too late by a moment rather than too early: a process that is older than its pod is taken for the one before it.
    startedAt: uptime_seconds === undefined ? null : instant(Math.round(sources.answeredAt - uptime_seconds * 1000)),
  };
  return { process, listed };
}
