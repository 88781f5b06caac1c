import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import type { Cluster } from './cluster.ts';
import { type Part, parts } from './command-lines.ts';
import { setOwners } from './data-folder.ts';
import { ControlPlaneError } from './errors.ts';
import { isAlive, signalProcess } from './process-identity.ts';
import { waitUntil } from './readiness.ts';

const recordSchema = z.object({
  url: z.string(),
  dataFolder: z.string(),
  /** With start times, so that a recycled process id is never taken for ours. */
  processes: z.array(z.object({ part: z.enum(parts), pid: z.number(), startedAt: z.string() })),
});

/** What is written down of a cluster that outlives the command that started it. It stands beside its kubeconfig. */
export type ClusterRecord = z.infer<typeof recordSchema>;

/** Where the record of the cluster with this kubeconfig is. */
export function recordFile(kubeconfig: string): string {
  return `${kubeconfig}.cluster.json`;
}

/** Writes the record; from now on the data folder is kept for as long as one of the processes lives. */
export function writeRecord(kubeconfig: string, cluster: Cluster): void {
  const processes = [...cluster.processes].map(([part, { pid, startedAt }]) => ({ part, pid, startedAt }));
  const record: ClusterRecord = { url: cluster.url, dataFolder: cluster.dataFolder, processes };
  setOwners(cluster.dataFolder, processes);
  writeFileSync(recordFile(kubeconfig), JSON.stringify(record, undefined, 2));
}

/** The record, or undefined when none was written. */
export function readRecord(kubeconfig: string): ClusterRecord | undefined {
  const file = recordFile(kubeconfig);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  try {
    return recordSchema.parse(JSON.parse(text));
  } catch (cause) {
    const next = 'end the processes named in it and remove it';
    throw new ControlPlaneError('RecordUnreadable', `${file} is damaged; ${next}`, { cause });
  }
}

/** The parts of a recorded cluster that still run. */
export function livingParts(record: ClusterRecord): Part[] {
  return record.processes.filter(isAlive).map(({ part }) => part);
}

/** Ends every process of the cluster, waits until all are gone, and removes its data, kubeconfig and record. */
export async function stopRecorded(kubeconfig: string, record: ClusterRecord): Promise<void> {
  for (const part of parts.toReversed()) {
    const found = record.processes.find((process) => process.part === part);
    if (found === undefined) continue;
    signalProcess(found, 'SIGKILL');
    await waitUntil({ what: `${part} (process ${found.pid}) to end`, seconds: 20, check: async () => !isAlive(found) });
  }
  rmSync(record.dataFolder, { recursive: true, force: true });
  rmSync(kubeconfig, { force: true });
  rmSync(recordFile(kubeconfig), { force: true });
}
