import { describe, expect, test } from 'vitest';
import type { Pod } from '../../kube/resources.ts';
import { name } from '../../model/ids.ts';
import { at } from '../../model/testing/given.ts';
import { seenPods, someGuard, somePod } from '../testing/some-guard.ts';
import { groupsOf, membersOf } from './members.ts';
import { selectedTwice } from './overlap.ts';
import type { NamespaceSeen } from './pods-on-demand.ts';
import type { RecordedPod } from './recorded-guard.ts';

const { spec } = someGuard({
  roles: [
    { name: 'shard', selector: { matchLabels: { app: 'ledger' } } },
    { name: 'archive', selector: { matchExpressions: [{ key: 'tier', operator: 'In', values: ['cold'] }] } },
  ],
});
const row = (pod: string): RecordedPod => ({
  pod,
  role: 'shard',
  zone: name('z1'),
  addresses: ['10.0.0.7:80'],
  conditions: [{ type: 'PodPending', since: at(-9) }],
  evacuationAt: at(-5),
});
const groups = (seen: NamespaceSeen, recorded: readonly RecordedPod[] = []) =>
  groupsOf(membersOf(spec, seen), seen, recorded);

describe('whom a guard guards', () => {
  test('the pods that its roles select, each for its role, sorted', () => {
    const seen = seenPods(somePod('b', { labels: { tier: 'cold' } }), somePod('a'), somePod('c', { labels: {} }));
    expect(groups(seen).map(({ id, role }) => `${id} ${role}`)).toEqual(['a shard', 'b archive']);
  });

  test('a pod that two roles select is said to be', () => {
    const both = somePod('a', { labels: { app: 'ledger', tier: 'cold' } });
    expect(selectedTwice(membersOf(spec, seenPods(both)))?.owners).toEqual([
      'shard and archive of this very guard, such as a,',
    ]);
    expect(selectedTwice(membersOf(spec, seenPods(somePod('a'))))).toBeUndefined();
  });

  test('what is on record of a pod stays with its name, and its objects are those of now', () => {
    const [group] = groups(seenPods(somePod('a')), [row('a')]);
    expect(group).toMatchObject({ zone: 'z1', evacuationAt: at(-5), addresses: ['10.0.0.7:80'], claim: 'none' });
    expect(group?.pod?.uid).toBe('uid-of-a');
  });

  test('a pod that is away is still one, a pod that is not selected any more is none', () => {
    const seen = seenPods(somePod('b', { labels: {} }));
    expect(groups(seen, [row('a'), row('b')]).map(({ id, pod }) => [id, pod])).toEqual([['a', null]]);
  });
});

describe('whether the data of a pod travels', () => {
  const claims: Readonly<Record<string, boolean | undefined>> = { net: true, net2: true, disk: false };
  const seen = (pod: Pod): NamespaceSeen => ({
    ...seenPods(pod),
    claim: (claim) => {
      const travels = claims[claim];
      if (travels === undefined) return undefined;
      const view = {
        key: `db/${claim}`,
        version: '1',
        belonging: undefined,
        uid: name<never>(claim),
        specHash: '',
        processes: null,
        nodeSelector: null,
      };
      return {
        claim: { ...view, deleting: false, volume: `pv-${claim}` },
        volume: { key: `pv-${claim}`, version: '1', travels },
      };
    },
  });
  test.each`
    its                   | seenAs
    ${[]}                 | ${'none'}
    ${['net']}            | ${true}
    ${['net', 'net2']}    | ${true}
    ${['net', 'disk']}    | ${false}
    ${['net', 'missing']} | ${null}
    ${['missing']}        | ${null}
  `('claims $its: $seenAs', ({ its, seenAs }) => {
    const [group] = groups(seen(somePod('a', { claims: its })));
    const claim = group?.claim;
    expect(typeof claim === 'object' && claim !== null ? claim.travels : claim).toBe(seenAs);
  });
});
