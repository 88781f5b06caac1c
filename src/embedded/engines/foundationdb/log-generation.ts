import type { EngineProcess } from '../model-engine.ts';
import type { FdbState } from './fdb-state.ts';

/** One log server of one generation. Like a storage server it is what lies on the disk. */
export interface LogServer {
  readonly id: string;
  readonly process: EngineProcess;
  destroyed: boolean;
}

/**
 * The logs between two recoveries. Each write is on as many of them as there are copies, each in a zone of its own, so it survives the loss
 * of one zone less than that. Until the storage servers have taken everything over, an old generation is needed.
 */
export interface LogGeneration {
  readonly number: number;
  readonly copies: number;
  readonly logs: readonly LogServer[];
  /** Its time to be emptied is over. */
  emptied: boolean;
}

/** The disk is mounted, and its process answers. */
export const isHeard = (state: FdbState, { process, destroyed }: LogServer): boolean =>
  !destroyed && state.responds(process.id) && state.table.get(process.id)?.process.disk === process.disk;

const zonesOf = (logs: readonly LogServer[]): number => new Set(logs.map(({ process }) => process.zone)).size;

/** Enough of it answers for everything that was written to it to be read. */
export const isReadable = (state: FdbState, { logs, copies }: LogGeneration): boolean =>
  zonesOf(logs.filter((log) => !isHeard(state, log))) < copies;

/** So many of its disks are gone that something that was written to it is nowhere. */
export const isLost = ({ logs, copies }: LogGeneration): boolean =>
  zonesOf(logs.filter(({ destroyed }) => destroyed)) >= copies;

/** How many more zones may be lost with it. */
export const faultTolerance = (state: FdbState, { logs, copies }: LogGeneration): number =>
  copies - 1 - zonesOf(logs.filter((log) => !isHeard(state, log)));
