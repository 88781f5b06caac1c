import { describe, expect, test } from 'vitest';
import { observedStatus } from './observed-status.ts';

const now = '2026-11-15T00:00:00Z';
const cluster = {
  apiVersion: 'drover.dev/v1alpha1',
  kind: 'StatefulCluster',
  metadata: { namespace: 'db', name: 'orders', generation: 2 },
  spec: { engine: { type: 'etcd', version: '3.6.0' }, roles: [{ name: 'member', count: 3 }] },
};

describe('a StatefulCluster that was read says so, once', () => {
  test('with its generation and a condition', () => {
    expect(observedStatus(cluster, now)).toMatchObject({
      observedGeneration: 2,
      conditions: [
        {
          type: 'Ready',
          status: 'Unknown',
          reason: 'EngineNotSupported',
          observedGeneration: 2,
          lastTransitionTime: now,
        },
      ],
    });
  });

  test('and nothing is written while nothing changed', () => {
    expect(observedStatus({ ...cluster, status: observedStatus(cluster, now) }, 'later')).toBeUndefined();
  });

  test('a new generation keeps the time of the transition and the conditions of others', () => {
    const other = { type: 'Other', status: 'True', reason: 'Because', message: '', lastTransitionTime: now };
    const before = observedStatus(cluster, now);
    const status = { ...before, conditions: [other, ...(before?.conditions ?? [])] };
    const edited = { ...cluster, metadata: { ...cluster.metadata, generation: 3 }, status };
    expect(observedStatus(edited, '2026-11-16T00:00:00Z')).toMatchObject({
      observedGeneration: 3,
      conditions: [{ type: 'Other' }, { type: 'Ready', lastTransitionTime: now }],
    });
  });

  test('an object that breaks a present rule is named with its field, and not written again and again', () => {
    const broken = { ...cluster, spec: { ...cluster.spec, roles: [{ name: 'member', count: -1 }] } };
    const status = observedStatus(broken, now);
    expect(status?.conditions[0]).toMatchObject({ status: 'False', reason: 'InvalidSpec' });
    expect(status?.conditions[0]?.message).toContain('spec.roles[0].count');
    expect(observedStatus({ ...broken, status }, 'later')).toBeUndefined();
  });
});
