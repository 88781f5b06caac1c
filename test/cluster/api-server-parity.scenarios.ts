import { definitions } from './api-server-parity.definitions.ts';
import { customKinds, kinds } from './api-server-parity.kinds.ts';
import { evictions, pods } from './api-server-parity.pods-and-evictions.ts';
import { deletions, lists } from './api-server-parity.reads-and-deletions.ts';
import type { Scenario } from './api-server-parity.steps.ts';
import { tables } from './api-server-parity.tables.ts';
import { patches, writes } from './api-server-parity.writes.ts';

/** Everything on which both servers must agree. */
export const scenarios: Readonly<Record<string, readonly Scenario[]>> = {
  writes,
  patches,
  lists,
  deletions,
  pods,
  evictions,
  kinds,
  'our kinds': customKinds,
  definitions,
  tables,
};
