import { describe, expect, test } from 'vitest';
import { statefulCluster } from '../../api/kinds.ts';
import { refusedStatus } from '../status/refused-status.ts';
import { readCluster } from './read-cluster.ts';
import { acceptedOrRefused } from './refusal.ts';

const now = '2026-11-15T00:00:00.000Z';
const later = '2026-11-16T00:00:00.000Z';
const cluster = {
  apiVersion: 'drover.dev/v1alpha1',
  kind: 'StatefulCluster',
  metadata: { namespace: 'db', name: 'orders', generation: 2 },
  spec: { engine: { type: 'etcd', version: '3.6.0' }, roles: [{ name: 'member', count: 3 }] },
};
const broken = { ...cluster, spec: { ...cluster.spec, roles: [{ name: 'member', count: -1 }] } };

const none = () => false;

function refusalOf(object: typeof cluster, isSupported: (engine: string) => boolean) {
  const answer = acceptedOrRefused(() => readCluster(object), isSupported);
  return 'refusal' in answer ? answer.refusal : undefined;
}

function refused(object: typeof cluster & { readonly status?: unknown }, at = now) {
  const refusal = refusalOf(object, none);
  if (refusal === undefined) throw new Error('it should be refused');
  return refusedStatus(statefulCluster, object, refusal, at);
}

describe('nothing is done about a StatefulCluster', () => {
  test('whose engine this operator does not speak to', () => {
    expect(refused(cluster)).toEqual({
      observedGeneration: 2,
      conditions: [
        {
          type: 'Ready',
          status: 'Unknown',
          reason: 'EngineNotSupported',
          message: 'this version of Drover has no engine for etcd: it reads the spec and changes nothing',
          observedGeneration: 2,
          lastTransitionTime: now,
        },
      ],
    });
  });

  test('that breaks a present rule, whatever its engine: the field is named', () => {
    const refusal = refusalOf(broken, () => true);
    expect(refusal).toMatchObject({ type: 'Ready', status: 'False', reason: 'InvalidSpec' });
    expect(refusal?.message).toContain('spec.roles[0].count');
  });

  test('and otherwise nothing stands against it', () => {
    expect(refusalOf(cluster, (engine) => engine === 'etcd')).toBeUndefined();
    expect(refusalOf(cluster, (engine) => engine === 'foundationdb')?.reason).toBe('EngineNotSupported');
  });
});

describe('a refusal is written', () => {
  test.each([cluster, broken])('once, while nothing changed', (object) => {
    expect(refused({ ...object, status: refused(object) }, later)).toBeUndefined();
  });

  test('again for a new generation, with the time of the transition and the conditions of others as they were', () => {
    const other = { type: 'Locked', status: 'True', reason: 'BudgetsInPlace', message: '', lastTransitionTime: now };
    const before = refused(cluster);
    const status = { ...before, conditions: [other, ...(before?.conditions ?? [])] };
    const edited = { ...cluster, metadata: { ...cluster.metadata, generation: 3 }, status };
    expect(refused(edited, later)).toMatchObject({
      observedGeneration: 3,
      conditions: [{ type: 'Ready', lastTransitionTime: now, observedGeneration: 3 }, other],
    });
  });

  test('again when the reason becomes another one', () => {
    const status = refused(broken);
    expect(refused({ ...cluster, status }, later)?.conditions).toMatchObject([
      { reason: 'EngineNotSupported', lastTransitionTime: later },
    ]);
  });

  test('over a status that cannot be read', () => {
    expect(refused({ ...broken, status: { conditions: 'none' } })?.observedGeneration).toBe(2);
  });
});
