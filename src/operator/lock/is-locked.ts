import type { EngineType } from '../../model/cluster-spec.ts';
import { rulesFor } from '../../rules/role-table.ts';

/** Whether the pods of a role are locked: those of a role that nobody knows are. */
export const isLocked = (engine: EngineType, role: string): boolean => rulesFor(engine, role)?.locked !== false;
