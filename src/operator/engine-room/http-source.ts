import type { HttpParts } from '../http-engine/http-engine.ts';
import { httpEngine } from '../http-engine/http-engine.ts';
import type { EngineSource } from './engine-source.ts';

/** Any system that serves the contract of docs/reference/http-contract.openapi.yaml. */
export const httpSource =
  (parts: HttpParts): EngineSource =>
  ({ namespace, spec }, surroundings) => {
    const { type, http } = spec.engine;
    // The schema refuses such an object; whoever gets here did not parse it.
    if (http === undefined) throw new TypeError(`engine.http is required, and engine.type is ${type}`);
    return httpEngine(parts, {
      namespace,
      connection: http,
      pods: () => surroundings.pods(),
      groupAt: (host) => surroundings.groupAt(host),
    });
  };
