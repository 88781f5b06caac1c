import type { KubeObject } from './object.ts';
import type { Resource } from './resource.ts';
import { apiVersionOf } from './resource.ts';

/**
 * The kinds that Kubernetes itself brings and that we touch, as far as we read or write them. A field that is not named here is still
 * there at run time and survives a read and a write; one that the API may leave out is optional here.
 */

/** A condition of a pod, a node or a definition: unlike newer kinds, most of it may be missing. */
export interface CoreCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string | null;
}

export interface Pod extends KubeObject {
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}

export interface PodSpec {
  /** Absent or empty until the pod is scheduled. */
  readonly nodeName?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly affinity?: unknown;
  readonly tolerations?: readonly Toleration[];
  readonly terminationGracePeriodSeconds?: number;
  readonly restartPolicy?: string;
  readonly serviceAccountName?: string;
  readonly priorityClassName?: string;
  readonly volumes?: readonly PodVolume[];
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: unknown }[];
  readonly resources?: unknown;
  readonly [field: string]: unknown;
}

export interface PodVolume {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName: string; readonly readOnly?: boolean };
  readonly [source: string]: unknown;
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

export interface PodStatus {
  /** Pending, Running, Succeeded, Failed or Unknown. */
  readonly phase?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly podIP?: string;
  readonly hostIP?: string;
  readonly startTime?: string;
  readonly conditions?: readonly CoreCondition[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
}

export interface ContainerStatus {
  readonly name: string;
  readonly ready: boolean;
  readonly restartCount: number;
  readonly image?: string;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly running?: { readonly startedAt?: string };
    readonly terminated?: ContainerEnd;
  };
  /** How it was before it was started again. */
  readonly lastState?: { readonly terminated?: ContainerEnd };
}

export interface ContainerEnd {
  readonly exitCode: number;
  readonly reason?: string;
  readonly finishedAt?: string;
}

export interface Node extends KubeObject {
  readonly spec?: NodeSpec;
  readonly status?: NodeStatus;
}

export interface NodeSpec {
  readonly unschedulable?: boolean;
  readonly providerID?: string;
  readonly taints?: readonly Taint[];
}

export interface Taint {
  readonly key: string;
  readonly value?: string;
  /** NoSchedule, PreferNoSchedule or NoExecute. */
  readonly effect: string;
  readonly timeAdded?: string;
}

export interface NodeStatus {
  readonly conditions?: readonly CoreCondition[];
  readonly addresses?: readonly { readonly type: string; readonly address: string }[];
}

/** `coordination.k8s.io/v1`. Every field of the spec may be missing: a lease can be made by hand. */
export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec;
}

export interface LeaseSpec {
  /** Empty or absent: nobody holds it. */
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  /** RFC 3339 with microseconds: the API server refuses a `MicroTime` without them. */
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

/** What an event or a message points to. */
export interface ObjectReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly fieldPath?: string;
}

/** `events.k8s.io/v1`. */
export interface EventsV1Event extends KubeObject {
  /** With microseconds. */
  readonly eventTime: string | null;
  readonly series?: EventSeries | null;
  readonly reportingController?: string;
  readonly reportingInstance?: string;
  readonly action?: string;
  readonly reason?: string;
  readonly regarding?: ObjectReference;
  readonly related?: ObjectReference;
  /** At most 1024 bytes. */
  readonly note?: string;
  readonly type?: string;
}

export interface EventSeries {
  readonly count: number;
  /** With microseconds. */
  readonly lastObservedTime: string;
}

export interface Secret extends KubeObject {
  readonly type?: string;
  /** Base64. */
  readonly data?: Readonly<Record<string, string>>;
  /** Plain text; only ever written, the API server answers with `data`. */
  readonly stringData?: Readonly<Record<string, string>>;
  readonly immutable?: boolean;
}

export interface ValidatingWebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly ValidatingWebhook[];
}

export interface ValidatingWebhook {
  readonly name: string;
  readonly clientConfig: WebhookClientConfig;
  readonly rules?: readonly WebhookRule[];
  readonly failurePolicy?: 'Ignore' | 'Fail';
  readonly matchPolicy?: 'Exact' | 'Equivalent';
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  readonly sideEffects: 'None' | 'NoneOnDryRun' | 'Some' | 'Unknown';
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions: readonly string[];
}

export interface WebhookClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
  /** PEM, in base64. */
  readonly caBundle?: string;
}

export interface WebhookRule {
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly operations?: readonly string[];
  readonly scope?: string;
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?:
    | readonly {
        readonly key: string;
        readonly operator: string;
        readonly values?: readonly string[] | undefined;
      }[]
    | undefined;
}

/** The reference to an object, as events carry it. */
export function referenceTo(resource: Resource<KubeObject>, object: KubeObject): ObjectReference {
  const { namespace, name, uid } = object.metadata;
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    name,
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
  };
}

const core = { group: '', version: 'v1' } as const;

export const pods: Resource<Pod> = { ...core, kind: 'Pod', plural: 'pods', namespaced: true };
export const nodes: Resource<Node> = { ...core, kind: 'Node', plural: 'nodes', namespaced: false };
export const secrets: Resource<Secret> = { ...core, kind: 'Secret', plural: 'secrets', namespaced: true };

export const leases: Resource<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};

export const events: Resource<EventsV1Event> = {
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
};

export const validatingWebhookConfigurations: Resource<ValidatingWebhookConfiguration> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  namespaced: false,
};
