import { group, version } from '../../api/kind.ts';
import { statefulCluster } from '../../api/kinds.ts';
import { InvalidObjectError } from '../../api/parse.ts';
import { detectorEnabled } from '../../api/v1alpha1/stateful-cluster.defaults.ts';
import type { MonotonicMillis } from '../../kube/clock.ts';
import { elapsed, minutes } from '../../kube/clock.ts';
import { jsonCodec } from '../../kube/codec.ts';
import { describeError } from '../../kube/error-description.ts';
import { isNotFound, KubeApiError } from '../../kube/errors.ts';
import type { Informer } from '../../kube/informer.ts';
import type { KeyText } from '../../kube/object.ts';
import { keyText, parseKey } from '../../kube/object.ts';
import type { ControllerContext } from '../controller.ts';
import type { CronJob } from '../resources.ts';
import { cronJobs } from '../resources.ts';
import type { Cluster } from './cluster.ts';
import { detectorCronJobFor } from './manifests/detector-cron-job.ts';
import { detectorLabels, madeFrom } from './marks.ts';

interface CronJobView {
  readonly key: KeyText;
  readonly version: string;
  /** Whose it is. */
  readonly cluster: KeyText;
  readonly specHash: string;
}

/** What was last asked of the API server for a cluster, and how that ended. */
interface Tried {
  readonly specHash: string;
  readonly refused: boolean;
  readonly at: MonotonicMillis;
}

/** What was refused may be let in later: a quota has room again, a policy has changed. */
const tryAgain = minutes(5);

type Parts = Pick<ControllerContext, 'informer' | 'client' | 'clock' | 'own' | 'logger' | 'recorder'>;

/**
 * Keeps the CronJob of every cluster's failure detector: there while it is wanted, as it is wanted, and gone when it or its cluster is not wanted
 * any more. What people change in it by hand stays until something else is wanted. No failure of it keeps a cluster waiting.
 */
export class DetectorKeeper {
  readonly #parts: Parts;
  readonly informer: Informer<CronJobView, 'cluster'>;
  readonly #tried = new Map<KeyText, Tried>();
  /** The last trouble with a cluster's, so that it is told once. */
  readonly #told = new Map<KeyText, string>();
  /** A spec is the same object until it is changed. */
  readonly #cronJobs = new WeakMap<Cluster['spec'], CronJob>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.informer = parts.informer<CronJobView, 'cluster'>({
      resource: cronJobs,
      codec: jsonCodec<CronJob, CronJobView>(viewOf),
      labelSelector: `${detectorLabels.cluster},${detectorLabels.namespace}`,
      key: ({ key }) => key,
      version: (view) => view.version,
      indexes: { cluster: ({ cluster }) => [cluster] },
    });
  }

  /** Tells whose CronJob came, changed or went: also one whose cluster was deleted while nobody looked. Call the result to stop. */
  subscribe(hear: (cluster: KeyText) => void): () => void {
    const tell = ({ cluster }: CronJobView) => {
      this.#tried.delete(cluster);
      hear(cluster);
    };
    return this.informer.cache.subscribe({
      added: tell,
      // Every run is noted in its status, which is no news.
      updated: (now, before) => {
        if (now.specHash !== before.specHash) tell(now);
      },
      deleted: tell,
    });
  }

  async keep(cluster: Cluster, signal: AbortSignal): Promise<void> {
    try {
      const isWanted = detectorEnabled(cluster.spec.automationOptions.replacements);
      const wanted = isWanted ? this.#cronJobFor(cluster) : undefined;
      const key = wanted === undefined ? undefined : keyText(wanted.metadata);
      const found = this.informer.cache.find('cluster', cluster.key);
      for (const one of found) if (one.key !== key) await this.#delete(one, signal);
      const there = found.find((one) => one.key === key);
      if (wanted === undefined || (await this.#write(cluster, wanted, there, signal))) this.#told.delete(cluster.key);
    } catch (error) {
      if (!(error instanceof KubeApiError) && !(error instanceof InvalidObjectError)) throw error;
      this.#tell(cluster, error);
    }
  }

  /** The cluster is gone. */
  async leave(key: KeyText, signal: AbortSignal): Promise<void> {
    this.#tried.delete(key);
    this.#told.delete(key);
    for (const one of this.informer.cache.find('cluster', key)) await this.#delete(one, signal);
  }

  #cronJobFor(cluster: Cluster): CronJob {
    const known = this.#cronJobs.get(cluster.spec);
    if (known !== undefined) return known;
    const made = detectorCronJobFor(cluster, this.#parts.own);
    this.#cronJobs.set(cluster.spec, made);
    return made;
  }

  /** False: not yet. */
  async #write(
    { key }: Cluster,
    wanted: CronJob,
    there: CronJobView | undefined,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { client, clock } = this.#parts;
    const specHash = specHashOf(wanted);
    const tried = this.#tried.get(key);
    if (there?.specHash === specHash) return true;
    // The watch has not told of it yet, or it would be refused again.
    if (tried?.specHash === specHash && (!tried.refused || elapsed(clock, tried.at) < tryAgain)) return false;
    const note = (refused: boolean) => this.#tried.set(key, { specHash, refused, at: clock.monotonic() });
    note(true);
    const options = { signal, fieldManager: 'drover' };
    if (there === undefined) await client.create(cronJobs, wanted, options);
    else await client.update(cronJobs, wanted, options);
    note(false);
    return true;
  }

  /** With the jobs that it made. */
  async #delete({ key }: CronJobView, signal: AbortSignal): Promise<void> {
    try {
      await this.#parts.client.delete(cronJobs, parseKey(key), { signal, propagationPolicy: 'Background' });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #tell({ key, namespace, name, uid }: Cluster, error: Error): void {
    const why = describeError(error).message;
    if (this.#told.get(key) === why) return;
    this.#told.set(key, why);
    this.#parts.logger.warn('the failure detector cannot be kept, trying again', { cluster: key, why });
    this.#parts.recorder.record({
      regarding: { apiVersion: `${group}/${version}`, kind: statefulCluster.kind, namespace, name, uid },
      type: 'Warning',
      reason: 'DetectorNotKept',
      action: 'KeepDetector',
      note: `the CronJob of the failure detector cannot be made as asked: ${why}`,
    });
  }
}

function viewOf({ metadata }: CronJob): CronJobView {
  const { labels = {} } = metadata;
  return {
    key: keyText(metadata),
    version: metadata.resourceVersion ?? '',
    cluster: keyText({ namespace: labels[detectorLabels.namespace], name: labels[detectorLabels.cluster] ?? '' }),
    specHash: metadata.annotations?.[madeFrom.specHash] ?? '',
  };
}

const specHashOf = ({ metadata }: CronJob): string => metadata.annotations?.[madeFrom.specHash] ?? '';
