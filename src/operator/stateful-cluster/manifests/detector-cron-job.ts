import { z } from 'zod';
import type { Fault } from '../../../api/parse.ts';
import { InvalidObjectError } from '../../../api/parse.ts';
import { detectorSchedule } from '../../../api/v1alpha1/stateful-cluster.defaults.ts';
import type { OwnIdentity } from '../../own-identity.ts';
import type { CronJob } from '../../resources.ts';
import type { Cluster } from '../cluster.ts';
import { detectorLabels, madeFrom, ownerReferenceTo, reservedPrefix } from '../marks.ts';
import { hashOf } from '../spec-hash.ts';
import { mergeOver } from './merge-over.ts';

/**
 * The CronJob that runs `drover detect` for a cluster, with `detector.template` merged over it.
 *
 * A pod can only use an account of its own namespace. Without a template it therefore lives where the operator lives, as the operator's account, and
 * nothing there can own it. With a template it lives beside its cluster, is owned by it, and runs as the account that the template names, or as the
 * namespace's default: what people write into a template must never run as the operator, who may do more than they.
 */
export function detectorCronJobFor(cluster: Cluster, own: OwnIdentity): CronJob {
  const { template } = cluster.spec.automationOptions.replacements.detector;
  const isPlain = Object.keys(template).length === 0;
  const namespace = isPlain ? own.namespace : cluster.namespace;
  const { metadata, spec } = read(
    cluster,
    mergeOver(plainManifest(cluster, own, namespace === own.namespace), template),
  );
  const { jobTemplate } = spec;
  const podTemplate = jobTemplate.spec.template;
  const manifest = {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: {
      ...withoutReserved(metadata),
      namespace,
      name: nameOf(cluster, namespace),
      ...(namespace === cluster.namespace && { ownerReferences: [ownerReferenceTo(cluster)] }),
    },
    spec: {
      ...spec,
      jobTemplate: {
        ...jobTemplate,
        metadata: withoutReserved(jobTemplate.metadata),
        spec: { ...jobTemplate.spec, template: { ...podTemplate, metadata: withoutReserved(podTemplate.metadata) } },
      },
    },
  };
  return {
    ...manifest,
    metadata: {
      ...manifest.metadata,
      labels: {
        ...manifest.metadata.labels,
        [detectorLabels.namespace]: cluster.namespace,
        [detectorLabels.cluster]: cluster.name,
      },
      annotations: { ...manifest.metadata.annotations, [madeFrom.specHash]: hashOf(manifest) },
    },
  };
}

/** Longer than a look at an engine that takes its time, and short enough not to be in the way of the next one. */
const mostSeconds = 120;

function plainManifest({ key, spec }: Cluster, own: OwnIdentity, asOperator: boolean) {
  const container = {
    name: 'detector',
    image: own.image,
    args: ['detect', '--cluster', key],
    resources: { requests: { cpu: '10m', memory: '128Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    // The engines' own clients keep files there.
    volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
  };
  return {
    metadata: { labels },
    spec: {
      schedule: detectorSchedule(spec.automationOptions.replacements),
      concurrencyPolicy: 'Forbid',
      successfulJobsHistoryLimit: 1,
      failedJobsHistoryLimit: 1,
      jobTemplate: {
        metadata: { labels },
        spec: {
          // The next run is the next try.
          backoffLimit: 0,
          activeDeadlineSeconds: mostSeconds,
          template: {
            metadata: { labels },
            spec: {
              ...(asOperator && { serviceAccountName: own.serviceAccount }),
              restartPolicy: 'Never',
              containers: [container],
              volumes: [{ name: 'tmp', emptyDir: {} }],
            },
          },
        },
      },
    },
  };
}

const labels = { 'app.kubernetes.io/name': 'drover-detector' };

/** A CronJob's name has room for 52 characters: its jobs add a time, and their pods more. */
const mostCharacters = 52;

/** `orders-detector` beside its cluster, `db.orders-detector` elsewhere; one that is too long is cut, and told apart by a hash. */
function nameOf({ key, namespace, name }: Cluster, place: string): string {
  const suffix = '-detector';
  const whole = `${namespace === place ? '' : `${namespace}.`}${name}`;
  if (whole.length + suffix.length <= mostCharacters) return `${whole}${suffix}`;
  const told = `-${hashOf(key).slice(0, 8)}${suffix}`;
  return `${whole.slice(0, mostCharacters - told.length).replace(/[-.]+$/, '')}${told}`;
}

/** The parts of a CronJob that Drover changes something in. The API server judges the rest. */
const texts = z.record(z.string(), z.string()).default({});
const metadata = z.looseObject({ labels: texts, annotations: texts }).prefault({});
const cronJob = z.object({
  metadata,
  spec: z.looseObject({
    jobTemplate: z.looseObject({
      metadata,
      spec: z.looseObject({ template: z.looseObject({ metadata }) }),
    }),
  }),
});

function read({ key }: Cluster, merged: unknown): z.output<typeof cronJob> {
  const result = cronJob.safeParse(merged);
  if (result.success) return result.data;
  const where = 'spec.automationOptions.replacements.detector.template';
  const faults = result.error.issues.map(
    ({ path, message }): Fault => ({ field: [where, ...path.map(String)].join('.'), message }),
  );
  throw new InvalidObjectError(`StatefulCluster ${key}`, faults, result.error);
}

/** Labels and annotations only: what else there is in metadata is for the API server to say, and reserved ones are for Drover. */
function withoutReserved({ labels, annotations }: z.output<typeof metadata>) {
  const others = (all: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(all).filter(([key]) => !key.startsWith(reservedPrefix)));
  return { labels: others(labels), annotations: others(annotations) };
}
