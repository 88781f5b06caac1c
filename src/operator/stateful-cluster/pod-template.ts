import { z } from 'zod';
import type { Fault } from '../../api/parse.ts';
import { InvalidObjectError } from '../../api/parse.ts';
import type { StatefulClusterSpec } from '../../api/v1alpha1/stateful-cluster.schema.ts';
import type { Cluster } from './cluster.ts';
import { withoutNulls } from './without-nulls.ts';

/** One role of a cluster's spec. */
export type Role = StatefulClusterSpec['roles'][number];

/**
 * What Drover reads of a PodTemplateSpec, or puts something beside. The rest is kept as it is: the API server judges it when the pod is made.
 */

const texts = z.record(z.string(), z.string());
const quantities = z.record(z.string(), z.union([z.string(), z.number()]));

const container = z.looseObject({
  name: z.string(),
  image: z.string().exactOptional(),
  command: z.array(z.string()).exactOptional(),
  args: z.array(z.string()).exactOptional(),
  env: z.array(z.looseObject({ name: z.string(), value: z.string().exactOptional() })).exactOptional(),
  volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })).exactOptional(),
  ports: z.array(z.looseObject({ containerPort: z.int() })).exactOptional(),
  resources: z
    .looseObject({ requests: quantities.exactOptional(), limits: quantities.exactOptional() })
    .exactOptional(),
  restartPolicy: z.string().exactOptional(),
});
export type TemplateContainer = z.output<typeof container>;

const nodeSelectorTerm = z.looseObject({ matchExpressions: z.array(z.unknown()).exactOptional() });
const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const affinity = z.looseObject({
  nodeAffinity: z
    .looseObject({ [required]: z.looseObject({ nodeSelectorTerms: z.array(nodeSelectorTerm) }).exactOptional() })
    .exactOptional(),
});
export type TemplateAffinity = z.output<typeof affinity>;

const podTemplate = z.looseObject({
  metadata: z
    .looseObject({ labels: texts.exactOptional(), annotations: texts.exactOptional() })
    .exactOptional()
    .default({}),
  spec: z
    .looseObject({
      containers: z.array(container).default([]),
      initContainers: z.array(container).exactOptional(),
      volumes: z.array(z.looseObject({ name: z.string() })).exactOptional(),
      tolerations: z
        .array(
          z.looseObject({
            key: z.string().exactOptional(),
            operator: z.string().exactOptional(),
            value: z.string().exactOptional(),
            effect: z.string().exactOptional(),
            tolerationSeconds: z.number().exactOptional(),
          }),
        )
        .exactOptional(),
      nodeSelector: texts.exactOptional(),
      affinity: affinity.exactOptional(),
      topologySpreadConstraints: z.array(z.unknown()).exactOptional(),
    })
    .prefault({}),
});
export type PodTemplate = z.output<typeof podTemplate>;

/** The role's template, read. Throws `InvalidObjectError`, which names every field that is not as in a PodTemplateSpec. */
export function templateOf({ namespace, name }: Cluster, role: Role): PodTemplate {
  const read = podTemplate.safeParse(withoutNulls(role.template));
  if (read.success) return read.data;
  const where = `spec.roles[name=${role.name}].template`;
  const faults = read.error.issues.map(
    ({ path, message }): Fault => ({ field: [where, ...path.map(String)].join('.'), message }),
  );
  throw new InvalidObjectError(`StatefulCluster ${namespace}/${name}`, faults, read.error);
}
