import type { PodVolume } from '../../../kube/resources.ts';
import type { Variable } from './environment.ts';

export type Mount = {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly?: boolean;
};

/** What an engine asks of its pods, beside what every pod of Drover gets. */
export interface EngineNeeds {
  /** Where its images usually keep the data. */
  readonly dataPath: string;
  /** The ports of a process group's Service. */
  readonly ports: readonly number[];
  readonly environment: readonly Variable[];
  readonly volumes: readonly PodVolume[];
  /** In every container. */
  readonly mounts: readonly Mount[];
  /** What the first container runs where its template does not say; absent: what its image does. */
  readonly args?: (dataPath: string) => readonly string[];
}
