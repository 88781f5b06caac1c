import { expect, test } from 'vitest';
import { someGuard } from '../testing/some-guard.ts';
import { deleteBindings } from './delete-bindings.ts';

const roles = [
  { name: 'storage', selector: { matchLabels: { app: 'fdb', class: 'storage' } } },
  { name: 'cluster_controller', selector: { matchLabels: { class: 'cc' } } },
];
const engine = { type: 'foundationdb' } as const;

test('a plain DELETE is refused for the pods of each locked role, in the namespace of the guard alone', () => {
  const guard = someGuard({ engine, roles, guardDeletes: true });
  expect(deleteBindings(guard).map(({ metadata, spec }) => ({ name: metadata.name, ...spec }))).toEqual(
    roles.map(({ name, selector }) => ({
      name: `drover-guard-deletes-${guard.uid}-${name.replace('_', '--')}`,
      policyName: 'drover-guard-deletes',
      validationActions: ['Deny', 'Audit'],
      matchResources: {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'db' } },
        objectSelector: selector,
      },
    })),
  );
});

test('nothing is refused where nobody asked for it', () => {
  expect(deleteBindings(someGuard({ engine, roles }))).toEqual([]);
});
