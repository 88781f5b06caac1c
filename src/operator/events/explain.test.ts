import { test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { decide } from '../../decide.ts';
import type { Action, Decision, Hold, StatusRecord } from '../../model/decision.ts';
import { allow } from '../../model/decision.ts';
import type { ProcessGroupId, Zone } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import type { Reason } from '../../model/reason.ts';
import { reasons } from '../../model/reasons.ts';
import { arbitrarySnapshot } from '../../model/testing/arbitrary-snapshot.ts';
import { at, givenGrant } from '../../model/testing/given.ts';
import { seconds } from '../../model/time.ts';
import { statusOf } from '../stateful-cluster/status.ts';
import { decided } from '../testing/given-cluster.ts';
import type { Said } from './explain.ts';
import { eventsFor, saidBy, saidIn } from './explain.ts';

const group = name<ProcessGroupId>('storage-1');
const zone = name<Zone>('zone-1');
const requested = reasons.requested({ group });
const pod = { uid: name<never>('uid-1'), resourceVersion: '1' };
const engine = { group, processes: [], addresses: [], reason: requested };

const decision = (given: Partial<Decision>): Decision => ({
  cluster: name('db/orders'),
  at: at(0),
  verdicts: [],
  records: [],
  actions: [],
  holds: [],
  wakeAt: undefined,
  ...given,
});
const hold = (reason: Reason, about: ProcessGroupId | null = group): Hold => ({ step: 'any', group: about, reason });
const nothing: Said = new Set();
const short = (of: Decision, said = nothing) =>
  eventsFor(of, said).map(({ type, action, reason, about }) => `${type} ${action} ${reason} ${about}`);

test('an event says what, why, in which words, and about whom', () => {
  const records: StatusRecord[] = [
    { record: 'marked', group, cause: 'Requested', withoutExclusion: false, reason: requested },
  ];
  expect(eventsFor(decision({ records }), nothing)).toEqual([
    {
      type: 'Normal',
      reason: 'Requested',
      note: 'storage-1 is replaced: processGroupsToRemove lists it',
      action: 'Mark',
      step: 'marked',
      about: group,
    },
  ]);
});

describe('what is recorded', () => {
  const reason = requested;
  test.each<[string | undefined, StatusRecord]>([
    ['Add', { record: 'group-added', group, role: name('storage'), number: 1, reason }],
    ['Mark', { record: 'marked', group, cause: 'Requested', withoutExclusion: false, reason }],
    ['Unmark', { record: 'unmarked', group, reason }],
    ['Exclude', { record: 'evacuating', group, reason }],
    ['Include', { record: 'evacuation-ended', group, reason }],
    ['ConfirmDrained', { record: 'drained', group, reason }],
    ['DoubtDrained', { record: 'not-drained', group, reason }],
    ['Remove', { record: 'removing', group, reason }],
    ['LetGo', { record: 'granted', grant: givenGrant(group), reason }],
    ['BeginMaintenance', { record: 'maintenance-on', zone, until: at(9), reason }],
    ['EndMaintenance', { record: 'maintenance-off', reason }],
    [undefined, { record: 'gone', group }],
    [undefined, { record: 'condition-set', group, condition: 'PodFailing', since: at(0) }],
    [undefined, { record: 'addresses', group, addresses: [] }],
  ])('%s', (action, record) => {
    const isAboutAll = record.record === 'maintenance-on' || record.record === 'maintenance-off';
    const expected = action === undefined ? [] : [`Normal ${action} Requested ${isAboutAll ? null : group}`];
    expect(short(decision({ records: [record] }))).toEqual(expected);
  });
});

describe('what is done is told where no record tells of it, once', () => {
  const reason = requested;
  test.each<[string | undefined, Action]>([
    ['Create', { act: 'create', what: 'pod', group, reason }],
    ['Recreate', { act: 'delete-pod', group, pod, reason }],
    ['HandOff', { act: 'hand-off', group, processes: [], reason }],
    ['Include', { act: 'cancel-evacuation', ...engine }],
    ['Forget', { act: 'forget', ...engine }],
    ['Close', { act: 'close', group, pod, reason }],
    [undefined, { act: 'evacuate', ...engine }],
    [undefined, { act: 'delete-group', group, pod: null, reason }],
    [undefined, { act: 'let-go', group, pod, reason }],
    [undefined, { act: 'maintenance-on', zone, time: seconds(9), reason }],
    [undefined, { act: 'maintenance-off', reason }],
  ])('%s', (name, action) => {
    const of = decision({ actions: [action] });
    expect(short(of)).toEqual(name === undefined ? [] : [`Normal ${name} Requested ${group}`]);
    expect(short(of, saidBy(of))).toEqual([]);
  });

  test('Reseat, which is about the whole cluster', () => {
    const of = decision({ actions: [{ act: 'reseat', quorum: name('coordinators'), processes: [], reason }] });
    expect(short(of)).toEqual(['Normal Reseat Requested null']);
    expect(short(of, saidBy(of))).toEqual([]);
  });

  test('the pod and the claim of a process group are two things', () => {
    const of = (...what: ('pod' | 'claim')[]) =>
      decision({ actions: what.map((one) => ({ act: 'create', what: one, group, reason })) });
    expect(short(of('pod', 'claim'))).toHaveLength(2);
    expect(short(of('pod', 'claim'), saidBy(of('pod')))).toHaveLength(1);
  });
});

describe('what waits is told', () => {
  const cap = (inFlight: number) => reasons.replacementCap({ group, inFlight, cap: 1 });

  test('when it begins, not while it goes on in other words, and again when it has another reason', () => {
    const first = decision({ holds: [hold(cap(1)), hold(cap(1))] });
    expect(short(first)).toEqual([`Normal Wait ReplacementCap ${group}`]);
    expect(short(decision({ holds: [hold(cap(2))] }), saidBy(first))).toEqual([]);
    expect(short(decision({ holds: [hold(reasons.cancelled({ group }))] }), saidBy(first))).toHaveLength(1);
    expect(short(first, saidBy(decision({})))).toHaveLength(1);
  });

  test('once for each id that does not exist, because all of them are about the whole cluster', () => {
    const unknown = (...ids: string[]) =>
      decision({ holds: ids.map((id) => hold(reasons.unknownProcessGroup({ id, list: 'l' }), null)) });
    expect(short(unknown('a-1', 'a-2'))).toHaveLength(2);
    expect(short(unknown('a-1', 'a-2'), saidBy(unknown('a-1')))).toEqual(['Warning Refuse UnknownProcessGroup null']);
  });

  test('once for a new database that is not set up, however its sentence changes on the way', () => {
    const evidence = { subject: 'db/orders', since: at(0) };
    const waiting = (why: string) =>
      decision({ holds: [hold(reasons.coordinatorsNotChosen({ ...evidence, why }), null)] });
    const refused = decision({ holds: [hold(reasons.setUpRefused({ ...evidence, why: 'no' }), null)] });
    expect(short(waiting('1 zone'))).toEqual(['Normal Wait CoordinatorsNotChosen null']);
    expect(short(waiting('2 zones'), saidBy(waiting('1 zone')))).toEqual([]);
    expect(short(refused, saidBy(waiting('1 zone')))).toEqual(['Warning Wait SetUpRefused null']);
  });

  test.each`
    reason                                               | kind       | expected
    ${cap(1)}                                            | ${'wait'}  | ${'Normal Wait'}
    ${cap(1)}                                            | ${'never'} | ${'Warning Refuse'}
    ${reasons.taintIgnored({ group, key: 'a' })}         | ${'wait'}  | ${'Normal Refuse'}
    ${reasons.stuckTerminating({ group, since: at(0) })} | ${'wait'}  | ${'Warning Wait'}
    ${reasons.conflictingRequests({ group, other: '' })} | ${'wait'}  | ${'Warning Refuse'}
  `('$reason.code of a verdict that says $kind: $expected', ({ reason, kind, expected }) => {
    const verdicts = [{ group, eviction: { kind, reasons: [reason] }, replacement: allow }];
    expect(short(decision({ holds: [hold(reason)], verdicts }))).toEqual([`${expected} ${reason.code} ${group}`]);
  });

  test('a removal without exclusion is loud', () => {
    const reason = reasons.requestedWithoutExclusion({ group });
    const records: StatusRecord[] = [{ record: 'marked', group, cause: 'Requested', withoutExclusion: true, reason }];
    expect(short(decision({ records }))).toEqual([`Warning Mark RequestedWithoutExclusion ${group}`]);
  });
});

describe('whatever is decided', () => {
  property.prop([arbitrarySnapshot()], { numRuns: 2000 })('each hold is told, with words', (snapshot) => {
    const made = decide(snapshot);
    const told = eventsFor(made, nothing);
    expect(told.every(({ note, reason, action }) => note !== '' && reason !== '' && action !== '')).toBe(true);
    for (const { group: about, reason } of made.holds) {
      expect(told).toContainEqual(expect.objectContaining({ about, reason: reason.code }));
    }
    // What is decided once more says nothing new but what it records.
    expect(eventsFor({ ...made, records: [] }, saidBy(made))).toEqual([]);
  });

  property.prop([arbitrarySnapshot()], { numRuns: 500 })(
    'what the status says was told is not told again by the next operator',
    (snapshot) => {
      const input = decided(snapshot);
      const status = statusOf(input);
      const told = eventsFor(input.decision, saidIn(status)).filter(({ action }) => action === 'Wait');
      for (const { processGroupID, waitingFor } of status.processGroups) {
        const codes = new Set(waitingFor.map(({ code }) => code));
        expect(told.filter(({ about, reason }) => about === processGroupID && codes.has(reason))).toEqual([]);
      }
    },
  );
});
