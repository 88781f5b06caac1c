import type { KubeClient } from '../../kube/client.ts';
import { isAlreadyExists, isNotFound } from '../../kube/errors.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { Resource } from '../../kube/resource.ts';
import type { StatusRecord } from '../../model/decision.ts';
import type { Uid } from '../../model/ids.ts';
import type { ProcessGroup } from '../../model/process-group.ts';
import type { Grant, Job, Snapshot } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import { jobsNeeded, jobsTold } from '../../operator/status/jobs-told.ts';
import { applyRecords, jobsAfter } from '../../plan/apply-records.ts';

/** What is recorded: the part of a snapshot that outlives the process, as the status of a StatefulCluster does. */
export interface Recorded {
  readonly rows: readonly ProcessGroup[];
  readonly grants: readonly Grant[];
  readonly nextGroupNumber: number;
  readonly lastRemovalAt: Instant | null;
  readonly maintenance: Snapshot['maintenance'];
  /** What the engine was told and did, where it lists nothing that would show it. */
  readonly told: readonly Job[];
}

const nothingRecorded: Recorded = {
  rows: [],
  grants: [],
  nextGroupNumber: 1,
  lastRemovalAt: null,
  maintenance: null,
  told: [],
};

/** The record once these changes are written. Of each process group only its row is kept: its objects are read anew every time. */
export function recordedAfter(snapshot: Snapshot, records: readonly StatusRecord[], before: Recorded): Recorded {
  const after = applyRecords(snapshot, records);
  return {
    rows: after.processGroups.map((group) => ({ ...group, pod: null, claim: null, service: null })),
    grants: after.grants,
    nextGroupNumber: after.nextGroupNumber,
    lastRemovalAt: after.lastRemovalAt,
    maintenance: after.maintenance,
    told: jobsNeeded(jobsAfter(before.told, records, snapshot.now), after.processGroups, snapshot.now),
  };
}

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const configMaps: Resource<ConfigMap> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

/** The name of the object that holds the record. */
export const recordName = 'drover-record';

/** What a stored record says; for whoever looks at the object itself. */
export function recordIn(data: string | undefined): Recorded {
  const recorded: Recorded = data === undefined ? nothingRecorded : JSON.parse(data);
  return recorded;
}

/** Keeps the record in the API server. A write lands only on the version that was read, so that two of a kind cannot undo each other's. */
export class RecordKeeper {
  readonly #client: KubeClient;
  readonly #namespace: string;
  #known: { readonly version: string; readonly text: string; recorded: Recorded } | undefined;

  constructor(client: KubeClient, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  /** What is recorded, from memory where that is still good. */
  async read(signal: AbortSignal): Promise<Recorded> {
    if (this.#known !== undefined) return this.#known.recorded;
    const object = await this.#get(signal);
    const text = object.data?.['record'] ?? '';
    const recorded = recordIn(text === '' ? undefined : text);
    this.#known = { version: object.metadata.resourceVersion ?? '', text, recorded };
    return recorded;
  }

  /** Writes what has changed, and nothing where nothing has. */
  async write(recorded: Recorded, signal: AbortSignal): Promise<void> {
    const text = JSON.stringify(recorded);
    const { version, text: before } = this.#known ?? { version: '', text: '' };
    if (text === before) return;
    const metadata = { namespace: this.#namespace, name: recordName, resourceVersion: version };
    const written = await this.#client.update(configMaps, { metadata, data: { record: text } }, { signal });
    this.#known = { version: written.metadata.resourceVersion ?? '', text, recorded };
  }

  /** The memory is not good any more: a write failed, or may have. */
  forget(): void {
    this.#known = undefined;
  }

  /** The engine was told, and did it. Written with the next record. */
  noteTold(job: Job): void {
    this.#note(({ told }) => ({ told: jobsTold(told, [job]) }));
  }

  /** The pod is locked again. Written with the next record. */
  noteClosed(pod: Uid, closedAt: Instant): void {
    this.#note(({ grants }) => ({
      grants: grants.map((grant) => (grant.pod === pod && grant.closedAt === null ? { ...grant, closedAt } : grant)),
    }));
  }

  #note(change: (recorded: Recorded) => Partial<Recorded>): void {
    if (this.#known !== undefined) this.#known.recorded = { ...this.#known.recorded, ...change(this.#known.recorded) };
  }

  async #get(signal: AbortSignal): Promise<ConfigMap> {
    const key = { namespace: this.#namespace, name: recordName };
    try {
      return await this.#client.get(configMaps, key, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    try {
      return await this.#client.create(configMaps, { metadata: key }, { signal });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return this.#client.get(configMaps, key, { signal });
    }
  }
}
