import { chosenClusterEngine } from '../../api/v1alpha1/engine.defaults.ts';
import type { HttpParts } from '../http-engine/http-engine.ts';
import { httpEngine } from '../http-engine/http-engine.ts';
import type { EngineSource } from './engine-source.ts';

/** Any system that serves the contract of docs/reference/http-contract.openapi.yaml. */
export const httpSource =
  (parts: HttpParts): EngineSource =>
  ({ namespace, spec }, surroundings) => {
    const { type, options } = chosenClusterEngine(spec.engine);
    if (type !== 'http') throw new TypeError(`engine.type ${type} is not http`);
    return httpEngine(parts, { namespace, connection: options, pods: () => surroundings.pods() });
  };
