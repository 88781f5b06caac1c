import type { KubeObject } from '../kube/object.ts';
import type { Resource } from '../kube/resource.ts';
import type { Volume } from './seen/volume.ts';

const core = { group: '', version: 'v1', namespaced: true } as const;

/** The kinds besides pods and nodes that a cluster is made of, as far as they are read or written. */

export interface Claim extends KubeObject {
  readonly spec: object;
}

export interface Service extends KubeObject {
  readonly spec: object;
}

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export interface CronJob extends KubeObject {
  readonly spec: object;
}

export const claims: Resource<Claim> = { ...core, kind: 'PersistentVolumeClaim', plural: 'persistentvolumeclaims' };
export const services: Resource<Service> = { ...core, kind: 'Service', plural: 'services' };
export const configMaps: Resource<ConfigMap> = { ...core, kind: 'ConfigMap', plural: 'configmaps' };
export const volumes: Resource<Volume> = {
  ...core,
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  namespaced: false,
};
export const cronJobs: Resource<CronJob> = {
  group: 'batch',
  version: 'v1',
  kind: 'CronJob',
  plural: 'cronjobs',
  namespaced: true,
};
