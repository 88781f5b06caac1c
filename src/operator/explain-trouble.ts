import { isForbidden, isNotFound, isUnauthorized } from '../kube/errors.ts';

/** One sentence for whoever has to mend it: why a kind cannot be read, and what to do. */
export function explainTrouble(resource: string, error: unknown): string {
  if (isNotFound(error)) return `the API server does not know ${resource}: apply deploy/crds`;
  if (isForbidden(error)) return `not allowed to read ${resource}: apply deploy/rbac.yaml (${error.message})`;
  if (isUnauthorized(error)) return 'the API server does not accept our credentials: are they expired?';
  return error instanceof Error ? error.message : String(error);
}
