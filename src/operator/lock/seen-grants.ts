import type { Uid } from '../../model/ids.ts';
import type { Grant } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import type { Noted } from '../status/notes.ts';

/** The pods that are there, and when that was looked at. */
interface Seen {
  readonly uids: ReadonlySet<Uid | undefined>;
  readonly now: Instant;
}

/** The grants on record with what has become of them since: closed by us, or gone. */
export const seenGrants = (grants: readonly Grant[], { closedAt }: Noted, { uids, now }: Seen): readonly Grant[] =>
  grants.map((grant) => ({
    ...grant,
    closedAt: grant.closedAt ?? closedAt.get(grant.pod) ?? null,
    goneAt: grant.goneAt ?? (uids.has(grant.pod) ? null : now),
  }));
