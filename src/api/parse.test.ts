import { describe, expect, test } from 'vitest';
import { nodeDrain, statefulCluster } from './kinds.ts';
import { InvalidObjectError, parseObject } from './parse.ts';

const head = {
  apiVersion: 'drover.dev/v1alpha1',
  kind: 'StatefulCluster',
  metadata: { name: 'orders', namespace: 'db' },
};
const spec = { engine: { type: 'foundationdb', version: '7.3.63' }, roles: [{ name: 'storage', count: 3 }] };

function refusal(object: unknown): InvalidObjectError {
  try {
    parseObject(statefulCluster, object);
  } catch (error) {
    if (error instanceof InvalidObjectError) return error;
    throw error;
  }
  throw new Error('the object was accepted');
}

describe('an object from the API server', () => {
  test('gets its defaults, also in lists and in a status that is not there yet', () => {
    const { spec: parsed, status } = parseObject(statefulCluster, { ...head, spec });
    expect(parsed.roles[0]).toEqual({
      name: 'storage',
      count: 3,
      processesPerPod: 1,
      template: {},
      dataTravels: 'auto',
      evictionRequires: [],
    });
    expect(parsed.automationOptions.replacements).toMatchObject({
      enabled: false,
      failureDetectionTimeSeconds: 7200,
      taintReplacementOptions: [],
    });
    expect(status).toMatchObject({
      nextProcessGroupNumber: 1,
      processGroups: [],
      grants: [],
      health: { available: false },
    });
  });

  test('is the same when it is parsed again', () => {
    const never = { taintReplacementOptions: [{ key: '*', durationInSeconds: 2 ** 63 }] };
    const once = parseObject(statefulCluster, {
      ...head,
      spec: { ...spec, automationOptions: { replacements: never } },
    });
    expect(once.spec.automationOptions.replacements.taintReplacementOptions).toEqual([
      { key: '*', durationInSeconds: 'never' },
    ]);
    expect(parseObject(statefulCluster, JSON.parse(JSON.stringify(once)))).toEqual(once);
  });

  test('keeps what it does not know of metadata and of pod templates, and drops the rest', () => {
    const { metadata, spec: parsed } = parseObject(statefulCluster, {
      ...head,
      metadata: { ...head.metadata, managedFields: [] },
      spec: { ...spec, tomorrow: 1, roles: [{ name: 'storage', count: 3, template: { spec: { tomorrow: 1 } } }] },
    });
    expect(metadata).toHaveProperty('managedFields');
    expect(parsed).not.toHaveProperty('tomorrow');
    expect(parsed.roles[0]?.template).toEqual({ spec: { tomorrow: 1 } });
  });

  test('may carry conditions that this version does not know: a newer one wrote them', () => {
    const group = {
      processGroupID: 'storage-1',
      role: 'storage',
      conditions: [{ type: 'NotYetInvented', timestamp: '2026-11-15T04:00:00Z' }],
    };
    const { status } = parseObject(statefulCluster, { ...head, spec, status: { processGroups: [group] } });
    expect(status.processGroups[0]?.conditions[0]?.type).toBe('NotYetInvented');
  });
});

describe('a bad object is refused', () => {
  test('with every field that is wrong, as kubectl writes it', () => {
    const error = refusal({
      ...head,
      spec: { ...spec, roles: [{ name: 'storage', count: -1 }], drainPolicy: 'block' },
    });
    expect(error.code).toBe('InvalidObject');
    expect(error.faults.map(({ field }) => field)).toEqual(['spec.roles[0].count', 'spec.drainPolicy']);
    expect(error.message).toMatch(
      /^StatefulCluster db\/orders is not valid, correct it with kubectl edit: spec\.roles\[0\]\.count: /,
    );
  });

  test('with the member at fault where a rule names one', () => {
    const engine = { ...spec.engine, redis: {} };
    expect(refusal({ ...head, spec: { ...spec, engine } }).faults).toEqual([
      {
        field: 'spec.engine.redis',
        message: 'engine.redis is only for engine.type redis; remove it, or set engine.type to redis',
      },
    ]);
  });

  test('when its name leaves no room for the names of pods', () => {
    expect(refusal({ ...head, metadata: { name: 'a'.repeat(50) }, spec }).message).toContain(
      'together must have at most 53 characters',
    );
  });

  test.each([
    ['nothing', undefined],
    ['text', 'orders'],
    ['another kind', { ...head, kind: 'ConfigMap', spec }],
    ['another group', { ...head, apiVersion: 'apps/v1', spec }],
    ['no spec', head],
    ['no name', { ...head, metadata: {}, spec }],
  ])('when it is %s', (_, object) => {
    expect(refusal(object).faults).not.toEqual([]);
  });
});

test('the same id to remove and to cancel is not refused: it becomes the condition ConflictingRequests', () => {
  const both = { processGroupsToRemove: ['storage-1'], cancelReplacementsForInstance: ['storage-1'] };
  expect(parseObject(statefulCluster, { ...head, spec: { ...spec, ...both } }).spec).toMatchObject(both);
});

test('a cluster-wide object is named without a namespace', () => {
  const object = { apiVersion: 'drover.dev/v1alpha1', kind: 'NodeDrain', metadata: { name: 'd' }, spec: {} };
  expect(() => parseObject(nodeDrain, object)).toThrow(
    /^NodeDrain d is not valid.* spec: set exactly one of nodes and nodeSelector$/,
  );
});
