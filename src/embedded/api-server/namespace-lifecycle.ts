import { objectAt, textAt } from './json.ts';
import { forbidden, notFound } from './status-error.ts';
import type { World } from './world.ts';
import type { WriteRequest } from './write-request.ts';

const namespaces = { group: '', plural: 'namespaces' };

/** Nothing is made in a namespace that is not there, or that is on its way out. Throws the API server's 404 and 403. */
export function requireNamespace(world: World, { definition, namespace }: WriteRequest, name: string): void {
  if (!definition.namespaced) return;
  const found = world.store.collection('namespaces').get('', namespace);
  if (found === undefined) throw notFound(namespaces, namespace);
  if (objectAt(found.object, 'metadata')['deletionTimestamp'] === undefined) return;
  if (textAt(found.object, 'status', 'phase') !== 'Terminating') return;
  throw forbidden(
    definition,
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  );
}
