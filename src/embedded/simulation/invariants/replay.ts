import { readSnapshot, writeSnapshot } from '../../../api/snapshot/snapshot-file.ts';
import { decide } from '../../../decide.ts';
import type { Decision } from '../../../model/decision.ts';
import type { Snapshot } from '../../../model/snapshot.ts';
import type { Violation } from './violation.ts';
import { violation } from './violation.ts';

/** I10: the snapshot, written to a file and read again, gives the same decision. */
export function replaysAlike(snapshot: Snapshot, decision: Decision): Violation | undefined {
  const file = fileOf(snapshot);
  if (file instanceof Error) return violation('I10', `a snapshot cannot be written: ${file.message}`);
  const { snapshot: read, faults } = readSnapshot(JSON.parse(file));
  const [fault] = faults ?? [];
  if (read === undefined)
    return violation('I10', `a snapshot cannot be read again: ${fault?.path.join('.')} ${fault?.message}`);
  return JSON.stringify(decide(read)) === JSON.stringify(decision)
    ? undefined
    : violation('I10', `the decision of ${new Date(decision.at).toISOString()} is another one when it is made again`);
}

function fileOf(snapshot: Snapshot): string | Error {
  try {
    return JSON.stringify(writeSnapshot(snapshot));
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
