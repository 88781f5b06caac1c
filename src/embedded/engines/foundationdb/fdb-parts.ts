import type { Answers } from '../model-engine.ts';
import type { Coordinators } from './coordinators.ts';
import type { DataDistribution } from './data-distribution.ts';
import type { FdbState } from './fdb-state.ts';
import type { Maintenance } from './maintenance.ts';
import type { Storage } from './storage.ts';
import type { TransactionSystem } from './transaction-system.ts';
import type { Waiters } from './waiters.ts';

/** The parts of the database, for those who read them: status, commands, topology. */
export interface FdbParts {
  readonly state: FdbState;
  readonly coordinators: Coordinators;
  readonly maintenance: Maintenance;
  readonly storage: Storage;
  readonly distribution: DataDistribution;
  readonly transactions: TransactionSystem;
  readonly waiters: Waiters;
  readonly answers: Answers;
}
