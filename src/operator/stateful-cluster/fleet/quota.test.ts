import { expect, test } from 'vitest';
import { quotaView } from './quota.ts';

const metadata = { namespace: 'db', name: 'small', resourceVersion: '7' };
const hard = { pods: '10', 'requests.cpu': '1500m' };

test('a quota is what it limits, what is left of that, and its own words', () => {
  expect(quotaView({ metadata, spec: { hard }, status: { used: { pods: '11', 'requests.cpu': '1' } } })).toEqual({
    key: 'db/small',
    namespace: 'db',
    version: '7',
    scoped: false,
    pool: {
      name: 'db/small',
      capacity: { pods: 10, 'requests.cpu': 1.5 },
      free: { pods: -1, 'requests.cpu': 0.5 },
      message: 'exceeded quota: small, limited: pods=10,requests.cpu=1500m',
    },
  });
});

test('what nobody has counted yet is taken for used up', () => {
  expect(quotaView({ metadata, spec: { hard } }).pool.free).toEqual({ pods: 0, 'requests.cpu': 0 });
});

test.each([{ scopes: ['BestEffort'] }, { scopeSelector: {} }])('one with %o is for some pods only', (scope) => {
  expect(quotaView({ metadata, spec: { hard, ...scope } }).scoped).toBe(true);
});
