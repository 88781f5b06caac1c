import { describe, expect, test } from 'vitest';
import type { Covered } from './foreign-cover.ts';
import { coverConfig, coveredBy, covering, coverName, podsUnder } from './foreign-cover.ts';

const orders: Covered = { kind: 'StatefulCluster', namespace: 'db', name: 'orders' };

describe('the webhook that covers pods', () => {
  test.each<[Covered, string]>([
    [orders, 'orders.db.cluster.foreign.drover.dev'],
    [{ ...orders, kind: 'EvictionGuard' }, 'orders.db.guard.foreign.drover.dev'],
    [{ kind: 'EvictionGuard', namespace: 'db', name: 'a.b' }, 'a.b.db.guard.foreign.drover.dev'],
  ])('of %j is named %s, and its owner is known by that', (owner, webhook) => {
    expect(coverName(owner)).toBe(webhook);
    expect(coveredBy(webhook, owner.kind)).toBe(`${owner.namespace}/${owner.name}`);
    const other = owner.kind === 'StatefulCluster' ? 'EvictionGuard' : 'StatefulCluster';
    expect(coveredBy(webhook, other)).toBeUndefined();
  });

  test.each(['evict.drover.dev', 'foreign.drover.dev', 'db.cluster.foreign.drover.dev'])(
    '%s is of nobody',
    (webhook) => {
      expect(coveredBy(webhook, 'StatefulCluster')).toBeUndefined();
    },
  );

  test('names its pods in order, and they are read back', () => {
    const webhook = covering(orders, ['log-2', 'log-1'], 'drover', { url: 'https://127.0.0.1/' });
    expect(webhook.matchConditions?.[1]?.expression).toBe("request.name in ['log-1', 'log-2']");
    expect(podsUnder(webhook)).toEqual(['log-1', 'log-2']);
  });

  test.each([
    [
      { url: 'https://127.0.0.1:9443/evict', caBundle: 'Q0E=' },
      { url: 'https://127.0.0.1:9443/evict-foreign', caBundle: 'Q0E=' },
    ],
    [
      { service: { namespace: 'drover', name: 'drover-webhook', path: '/evict', port: 443 } },
      { service: { namespace: 'drover', name: 'drover-webhook', path: '/evict-foreign', port: 443 } },
    ],
  ])('is asked beside %j', (voice, expected) => {
    expect(coverConfig(voice)).toEqual(expected);
  });
});
