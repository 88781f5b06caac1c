import { describe, expect, test } from 'vitest';
import type { ClusterSpec } from '../model/cluster-spec.ts';
import type { PodShape } from '../model/shape.ts';
import { givenClaim, givenGroup, givenPod, givenRole, givenShape } from '../model/testing/given.ts';
import { surveyOf } from '../rules/survey.ts';
import { changesByReplacement, changesThatForceReplacement, needsRecreation } from './pod-changes.ts';
import { snapshotOf } from './testing/cluster.ts';

type Partly = Parameters<typeof givenGroup>[1];

interface Case {
  readonly id?: string;
  /** What the pod was made from. */
  readonly is?: Partial<PodShape>;
  readonly wanted?: Partial<PodShape>;
  readonly group?: Partly;
  readonly spec?: Partial<ClusterSpec>;
}

function judge({ id = 'storage-1', is = {}, wanted = {}, group = {}, spec = {} }: Case) {
  const whole = givenGroup(id, { pod: givenPod(id, { shape: givenShape(is) }), ...group });
  const roles = [givenRole(whole.role, { count: 1, shape: givenShape(wanted) })];
  const survey = surveyOf(snapshotOf({ roles, spec, snapshot: { processGroups: [whole] } }));
  return {
    forced: changesThatForceReplacement(survey, whole),
    replaced: changesByReplacement(survey, whole),
    recreated: needsRecreation(survey, whole),
  };
}
const forcedBy = (given: Case): readonly string[] => judge(given).forced;

const prefix = 'the process group id prefix';
const source = 'the public IP source';
const perPod = 'the number of processes in a pod';
const selector = 'the node selector';
const claim = 'the volume claim';
const resources = 'the resources, upwards,';

describe('six changes can only be followed by a replacement', () => {
  test.each<[string, Case, readonly string[]]>([
    ['nothing', {}, []],
    ['the prefix', { wanted: { idPrefix: 'blue' } }, [prefix]],
    [
      'the prefix is taken away',
      { id: 'blue-storage-1', group: { role: 'storage' }, is: { idPrefix: 'blue' } },
      [prefix],
    ],
    ['the public IP source', { wanted: { publicIPSource: 'Service' } }, [source]],
    ['more processes per pod', { wanted: { processesPerPod: 2 } }, [perPod]],
    ['fewer processes per pod', { is: { processesPerPod: 2 } }, [perPod]],
    ['a node selector', { wanted: { nodeSelector: { disk: 'ssd' } } }, [selector]],
    ['no node selector any more', { is: { nodeSelector: { disk: 'ssd' } } }, [selector]],
    [
      'another value in the node selector',
      { is: { nodeSelector: { disk: 'hdd' } }, wanted: { nodeSelector: { disk: 'ssd' } } },
      [selector],
    ],
    [
      'another key in the node selector',
      { is: { nodeSelector: { disc: 'ssd' } }, wanted: { nodeSelector: { disk: 'ssd' } } },
      [selector],
    ],
    [
      'the same node selector',
      { is: { nodeSelector: { a: '1', b: '2' } }, wanted: { nodeSelector: { b: '2', a: '1' } } },
      [],
    ],
    ['the claim', { wanted: { claimSpecHash: 'claim-2' } }, [claim]],
    [
      'all at once',
      {
        wanted: {
          idPrefix: 'blue',
          publicIPSource: 'Service',
          processesPerPod: 2,
          nodeSelector: { a: 'b' },
          claimSpecHash: 'claim-2',
          requests: { cpu: 9 },
        },
        spec: { replaceWhenResourcesRise: true },
      },
      [prefix, source, perPod, selector, claim, resources],
    ],
    ['another image', { wanted: { specHash: 'pod-2' } }, []],
  ])('%s', (_, given, expected) => {
    expect(forcedBy(given)).toEqual(expected);
  });
});

describe('the prefix is read off the id, also where there is no pod', () => {
  test.each<[string, Case, readonly string[]]>([
    ['no prefix wanted, none there', { group: { pod: null } }, []],
    ['a prefix wanted, none there', { group: { pod: null }, wanted: { idPrefix: 'blue' } }, [prefix]],
    [
      'a prefix wanted and there',
      { id: 'blue-storage-1', group: { role: 'storage', pod: null }, wanted: { idPrefix: 'blue' } },
      [],
    ],
    [
      'another prefix wanted',
      { id: 'red-storage-1', group: { role: 'storage', pod: null }, wanted: { idPrefix: 'blue' } },
      [prefix],
    ],
    [
      'a role with _, and a prefix wanted',
      { id: 'grv-proxy-1', group: { role: 'grv_proxy', pod: null }, wanted: { idPrefix: 'blue' } },
      [prefix],
    ],
    ['a role with _', { id: 'grv-proxy-1', group: { role: 'grv_proxy', pod: null } }, []],
    ['a pod that says otherwise', { is: { idPrefix: 'red' } }, [prefix]],
    [
      'an id of another form tells nothing',
      { id: 'db-1', group: { role: 'storage', pod: null }, wanted: { idPrefix: 'blue' } },
      [],
    ],
    ['an id that only ends like the role', { id: 'mystorage-1', group: { role: 'storage', pod: null } }, []],
    ['an agent keeps its id', { id: 'agent-1', spec: { engine: 'arangodb' }, wanted: { idPrefix: 'blue' } }, []],
    ['a dbserver does not', { id: 'dbserver-1', spec: { engine: 'arangodb' }, wanted: { idPrefix: 'blue' } }, [prefix]],
  ])('%s', (_, given, expected) => {
    expect(forcedBy(given)).toEqual(expected);
  });
});

describe('any part of the claim counts', () => {
  test.each<[string, Case, boolean]>([
    ['the claim differs', { group: { claim: givenClaim({ specHash: 'old' }) } }, true],
    ['the claim differs and there is no pod', { group: { claim: givenClaim({ specHash: 'old' }), pod: null } }, true],
    [
      'a claim that is missing is made as it should be',
      { group: { claim: null }, wanted: { claimSpecHash: 'claim-2' } },
      false,
    ],
    ['a claim is wanted where there was none', { group: { claim: 'none' }, is: { claimSpecHash: '' } }, true],
    ['a claim is wanted where there was none, without a pod', { group: { claim: 'none', pod: null } }, true],
    ['no claim is wanted any more', { wanted: { claimSpecHash: '' } }, true],
    [
      'no claim is wanted and there is none',
      { group: { claim: 'none' }, is: { claimSpecHash: '' }, wanted: { claimSpecHash: '' } },
      false,
    ],
    [
      'no claim is wanted and there is none, without a pod',
      { group: { claim: 'none', pod: null }, wanted: { claimSpecHash: '' } },
      false,
    ],
  ])('%s', (_, given, expected) => {
    expect(forcedBy(given)).toEqual(expected ? [claim] : []);
  });
});

describe('a rise in requests or limits counts where the spec says so', () => {
  const rise = { replaceWhenResourcesRise: true };

  test.each<[string, Case, boolean]>([
    ['cpu 1 → 1', {}, false],
    ['cpu 1 → 2', { wanted: { requests: { cpu: 2, memory: 1024 } } }, true],
    ['cpu 1 → 0.5', { wanted: { requests: { cpu: 0.5, memory: 1024 } } }, false],
    ['cpu 1 → 0.5, memory 1024 → 1025', { wanted: { requests: { cpu: 0.5, memory: 1025 } } }, true],
    ['a request that was not made', { wanted: { requests: { cpu: 1, memory: 1024, gpu: 1 } } }, true],
    ['a request that is not made any more', { wanted: { requests: {} } }, false],
    ['limit 1 → 2', { is: { limits: { cpu: 1 } }, wanted: { limits: { cpu: 2 } } }, true],
    ['limit 2 → 1', { is: { limits: { cpu: 2 } }, wanted: { limits: { cpu: 1 } } }, false],
    ['a limit where there was none is no rise', { wanted: { limits: { cpu: 9 } } }, false],
    ['no limit any more is a rise', { is: { limits: { cpu: 9 } } }, true],
  ])('%s', (_, given, expected) => {
    expect(forcedBy({ ...given, spec: rise })).toEqual(expected ? [resources] : []);
    expect(forcedBy(given)).toEqual([]);
  });

  test('without a pod there is nothing to compare', () => {
    expect(forcedBy({ group: { pod: null }, wanted: { requests: { cpu: 9 } }, spec: rise })).toEqual([]);
  });
});

describe('any other change is rolled out as podUpdateStrategy says', () => {
  const strategies = ['Replace', 'ReplaceTransactionSystem', 'Delete'] as const;
  test.each<[string, Partial<ClusterSpec>, readonly (typeof strategies)[number][]]>([
    ['storage-1', {}, ['Replace']],
    ['general-1', {}, ['Replace']],
    ['log-1', {}, ['Replace', 'ReplaceTransactionSystem']],
    ['stateless-1', {}, ['Replace', 'ReplaceTransactionSystem']],
    ['dbserver-1', { engine: 'arangodb' }, ['Replace']],
    ['single-1', { engine: 'arangodb' }, []],
    ['mystery-1', {}, []],
  ])('%s is replaced with %j %j, else made again', (id, spec, replacedWith) => {
    for (const podUpdateStrategy of strategies) {
      const { replaced, recreated } = judge({ id, is: { specHash: 'old' }, spec: { ...spec, podUpdateStrategy } });
      const isReplaced = replacedWith.includes(podUpdateStrategy);
      expect({ podUpdateStrategy, replaced, recreated }).toEqual({
        podUpdateStrategy,
        replaced: isReplaced ? ['the pod template'] : [],
        recreated: !isReplaced,
      });
    }
  });

  test.each<[string, Case]>([
    ['nothing changed', {}],
    ['there is no pod', { group: { pod: null }, wanted: { specHash: 'pod-2' } }],
    ['a change forces a replacement', { wanted: { specHash: 'pod-2', processesPerPod: 2 } }],
  ])('nothing is made again when %s', (_, given) => {
    expect(judge({ ...given, spec: { podUpdateStrategy: 'Delete' } }).recreated).toBe(false);
  });

  test.each(strategies)(
    'one that is to be made again as it is, is no change of the spec: never replaced with %s',
    (podUpdateStrategy) => {
      for (const id of ['storage-1', 'log-1', 'stateless-1']) {
        const { replaced, recreated } = judge({ id, is: { specHash: '' }, spec: { podUpdateStrategy } });
        expect({ id, replaced, recreated }).toEqual({ id, replaced: [], recreated: true });
      }
    },
  );

  test.each(strategies)('one that never ran is made again, and not replaced, with %s', (podUpdateStrategy) => {
    const is = { shape: givenShape({ specHash: 'old' }) };
    for (const pod of [
      givenPod('storage-1', { ...is, phase: 'Pending' }),
      givenPod('storage-1', { ...is, crashing: true }),
    ]) {
      const { replaced, recreated } = judge({ group: { addresses: [], pod }, spec: { podUpdateStrategy } });
      expect({ replaced, recreated }).toEqual({ replaced: [], recreated: true });
    }
  });

  test('a change that forces a replacement is what is said, whatever the strategy', () => {
    const given = { wanted: { specHash: 'pod-2', processesPerPod: 2 } };
    expect(judge({ ...given, spec: { podUpdateStrategy: 'Replace' } }).replaced).toEqual([perPod]);
  });

  test('a role that the spec does not name, or without a shape, changes nothing', () => {
    const group = givenGroup('storage-1', {
      pod: givenPod('storage-1', { shape: givenShape({ specHash: 'old', idPrefix: 'red' }) }),
    });
    for (const roles of [[], [givenRole('storage', { shape: null })]]) {
      const survey = surveyOf(snapshotOf({ roles, snapshot: { processGroups: [group] } }));
      expect(changesByReplacement(survey, group)).toEqual([]);
      expect(needsRecreation(survey, group)).toBe(false);
    }
  });
});
