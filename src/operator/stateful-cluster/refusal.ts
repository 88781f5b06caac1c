import { InvalidObjectError } from '../../api/parse.ts';
import type { EngineType } from '../../model/cluster-spec.ts';
import type { Judgement } from '../status/conditions.ts';
import type { Cluster } from './cluster.ts';

/** The cluster, or why nothing is done about it: it breaks a present rule, or there is no engine for it. */
export function acceptedOrRefused(
  read: () => Cluster,
  isSupported: (engine: EngineType) => boolean,
): { readonly cluster: Cluster } | { readonly refusal: Judgement<'Ready'> } {
  try {
    const cluster = read();
    const { type } = cluster.spec.engine;
    if (isSupported(type)) return { cluster };
    const message = `this version of Drover has no engine for ${type}: it reads the spec and changes nothing`;
    return { refusal: { type: 'Ready', status: 'Unknown', reason: 'EngineNotSupported', message } };
  } catch (error) {
    if (!(error instanceof InvalidObjectError)) throw error;
    return { refusal: { type: 'Ready', status: 'False', reason: 'InvalidSpec', message: error.message } };
  }
}
