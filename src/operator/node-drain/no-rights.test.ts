import { describe, expect, test } from 'vitest';
import { KubeApiError } from '../../kube/errors.ts';
import { isAboutRights, lacksRights } from './no-rights.ts';

const refused = (method: string, path: string, status = 403) =>
  new KubeApiError({ method, path }, status, { message: 'the role does not allow it' });

describe('what is refused for want of rights on nodes', () => {
  test.each`
    error                                                           | is
    ${refused('GET', '/api/v1/nodes/n1')}                           | ${true}
    ${refused('PATCH', '/api/v1/nodes/n1')}                         | ${true}
    ${refused('GET', '/api/v1/nodes/n1', 500)}                      | ${false}
    ${refused('PATCH', '/apis/drover.dev/v1alpha1/nodedrains/n1')}  | ${false}
    ${refused('POST', '/api/v1/namespaces/db/pods/nodes/eviction')} | ${false}
    ${new Error('/api/v1/nodes/n1')}                                | ${false}
  `('$error.message: $is', ({ error, is }) => {
    expect(isAboutRights(error)).toBe(is);
  });

  test.each`
    method     | verb
    ${'GET'}   | ${'read'}
    ${'PATCH'} | ${'change'}
  `('a $method says that Drover may not $verb nodes, what to grant, and who says so', ({ method, verb }) => {
    expect(lacksRights(refused(method, '/api/v1/nodes/n1'))).toBe(
      `Drover may not ${verb} nodes: give its role get, list, watch and patch of nodes, as deploy/rbac.yaml has it (the role does not allow it (403))`,
    );
  });
});
