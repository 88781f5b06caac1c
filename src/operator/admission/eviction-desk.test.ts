import { describe, expect, test } from 'vitest';
import type { AdmissionRequest } from '../../kube/admission-review.ts';
import { millis, seconds } from '../../kube/clock.ts';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import { name } from '../../model/ids.ts';
import { reasons } from '../../model/reasons.ts';
import { at } from '../../model/testing/given.ts';
import { Desk, guardKey } from '../lock/desk.ts';
import type { GivenFound } from '../testing/found-pod.ts';
import { givenFound } from '../testing/found-pod.ts';
import { givenReview } from '../testing/given-review.ts';
import { EvictionDesk } from './eviction-desk.ts';

const guard = guardKey('StatefulCluster', 'db/orders');
const alive = new AbortController().signal;
const wait: GivenFound = {
  eviction: { kind: 'wait', reasons: [reasons.viewTooOld({ group: 'storage-1', observedAt: at(0) })] },
};

/** A webhook, the desk behind it, and what its owner was told. */
function given(found?: GivenFound) {
  const clock = new VirtualClock();
  const desk = new Desk(clock);
  const heard: string[] = [];
  desk.attend('StatefulCluster', (key) => heard.push(key));
  if (found !== undefined) desk.publish(guard, givenFound(found).published);
  return { clock, desk, heard, webhook: new EvictionDesk(desk, clock) };
}

describe('where a pod is covered because no lock is on it', () => {
  const stays = {
    allowed: false,
    code: 429,
    message: expect.stringContaining('storage-1 stays: Drover has just started'),
  };

  test('nothing is let through that is not known, until everything was read', () => {
    const { webhook, desk } = given();
    expect(webhook.answerCovered(givenReview(), alive)).toMatchObject(stays);
    desk.attend('EvictionGuard', () => {});
    expect(webhook.answerCovered(givenReview(), alive)).toEqual({ allowed: true });
    desk.expect(guard);
    expect(webhook.answerCovered(givenReview(), alive)).toMatchObject(stays);
    expect(webhook.answerCovered(givenReview({ namespace: 'other' }), alive)).toEqual({ allowed: true });
    desk.withdraw(guard);
    expect(webhook.answerCovered(givenReview(), alive)).toEqual({ allowed: true });
    expect(webhook.answerCovered(givenReview({ subResource: undefined }), alive)).toEqual({ allowed: true });
  });

  test('a dry run is told that it would wait', () => {
    expect(given().webhook.answerCovered(givenReview({ dryRun: true }), alive)).toMatchObject({ code: 404 });
  });

  test('what both webhooks are asked about counts once', () => {
    const { webhook, desk } = given(wait);
    for (const answer of [webhook.answerCovered, webhook.answer, webhook.answerCovered]) {
      expect(answer(givenReview(), alive)).toMatchObject({ code: 429 });
    }
    expect(desk.asksFor(guard)).toMatchObject([{ times: 1 }]);
  });

  test('a guard that is gone in the middle of a grant, with its leader, lets nothing through', async () => {
    const { webhook, desk } = given({});
    const answer = webhook.answerCovered(givenReview(), alive);
    const asked = desk.asksFor(guard);
    desk.withdraw(guard);
    desk.conclude(asked);
    expect(await answer).toMatchObject(stays);
  });
});

describe('the webhook', () => {
  test('allows what nobody guards, and says where this replica does not lead', async () => {
    const { webhook, desk, heard } = given();
    desk.attend('EvictionGuard', () => {});
    expect(webhook.answer(givenReview(), alive)).toEqual({ allowed: true });
    expect(webhook.answer(givenReview({ subResource: undefined }), alive)).toEqual({ allowed: true });
    expect(heard).toEqual([]);
    const clock = new VirtualClock();
    const idle = new EvictionDesk(new Desk(clock), clock);
    await clock.pass(seconds(30));
    expect(idle.answer(givenReview(), alive)).toMatchObject({
      allowed: true,
      warnings: [expect.stringContaining('does not lead')],
    });
  });

  test.each<[string, Partial<AdmissionRequest>]>([
    ['of the request', { dryRun: true }],
    ['in the object', { object: { deleteOptions: { dryRun: ['All'] } } }],
  ])('tells a dry run %s where nobody leads that nothing can be said, and ends it', async (_, review) => {
    const clock = new VirtualClock();
    const idle = new EvictionDesk(new Desk(clock), clock);
    await clock.pass(seconds(30));
    expect(idle.answer(givenReview(review), alive)).toMatchObject({
      allowed: false,
      code: 404,
      message: 'drover: nobody leads who could say',
      warnings: [expect.stringContaining('nothing can be said about storage-1: nobody leads here')],
    });
  });

  test('says that it has just started, for as long as it has and has not read everything, and no longer', async () => {
    const { webhook, desk, clock } = given();
    const reads = { allowed: false, code: 429, message: expect.stringContaining('Drover has just started and reads') };
    expect(webhook.answer(givenReview(), alive)).toMatchObject(reads);
    expect(webhook.answer(givenReview({ dryRun: true }), alive)).toMatchObject({ code: 404 });
    await clock.pass(seconds(29));
    desk.attend('EvictionGuard', () => {});
    desk.expect(guard);
    await clock.pass(millis(29_999));
    expect(webhook.answer(givenReview(), alive)).toMatchObject(reads);
    expect(webhook.answer(givenReview({ namespace: 'other' }), alive)).toEqual({ allowed: true });
    await clock.pass(millis(1));
    expect(webhook.answer(givenReview(), alive)).toEqual({ allowed: true });
  });

  test('answers about what it knows, however new it is', () => {
    const { webhook, desk } = given(wait);
    desk.expect(guardKey('StatefulCluster', 'db/other'));
    expect(webhook.answer(givenReview(), alive)).toMatchObject({
      message: expect.stringContaining('storage-1 stays: the engine'),
    });
  });

  test('writes down who is held back, and answers at once', () => {
    const { webhook, desk } = given(wait);
    expect(webhook.answer(givenReview(), alive)).toMatchObject({ allowed: false, code: 429 });
    expect(desk.asksFor(guard)).toMatchObject([{ pod: 'uid-storage-1', by: 'jane' }]);
  });

  test.each<[string, GivenFound, Partial<AdmissionRequest>]>([
    ['a dry run of the request', wait, { dryRun: true }],
    ['a dry run in the object', wait, { object: { deleteOptions: { dryRun: ['All'] } } }],
    ['a role that is not locked', { locked: false }, {}],
    ['a pod that has ended', { pod: { phase: 'Failed' } }, {}],
    ['another pod than the one that is there', wait, { object: { deleteOptions: { preconditions: { uid: 'old' } } } }],
  ])('writes nobody down for %s', (_, found, request) => {
    const { webhook, desk, heard } = given(found);
    void webhook.answer(givenReview(request), alive);
    expect(desk.asksFor(guard)).toEqual([]);
    expect(heard).toEqual([]);
  });

  test('lets one that may go pass once its lock is open, in the same call', async () => {
    const { webhook, desk, heard } = given({});
    const answer = webhook.answer(givenReview(), alive);
    expect(heard).toContain('db/orders');
    expect(desk.letPass(name('uid-storage-1'))).toBe(true);
    expect(await answer).toEqual({ allowed: true });
  });

  test('says why where it may not go after all', async () => {
    const { webhook, desk } = given({});
    const answer = webhook.answer(givenReview(), alive);
    desk.publish(guard, givenFound(wait).published);
    desk.conclude(desk.asksFor(guard));
    expect(await answer).toMatchObject({
      allowed: false,
      code: 429,
      message: expect.stringMatching(/^drover: storage-1/),
    });
  });

  test('allows where the pod is gone by then', async () => {
    const { webhook, desk } = given({});
    desk.attend('EvictionGuard', () => {});
    const answer = webhook.answer(givenReview(), alive);
    const asked = desk.asksFor(guard);
    desk.withdraw(guard);
    desk.conclude(asked);
    expect(await answer).toEqual({ allowed: true });
  });

  test('lets the eviction pass at once that Drover itself makes of a pod that it has let go, and no other one', async () => {
    const { webhook, desk } = given({});
    const done = desk.evicts(name('uid-storage-1'));
    expect(await webhook.answer(givenReview(), alive)).toEqual({ allowed: true });
    done();
    expect(desk.isEvicting(name('uid-storage-1'))).toBe(false);
  });

  test('has an answer within two seconds, before the API server loses patience', async () => {
    const { webhook, clock } = given({});
    const answer = Promise.resolve(webhook.answer(givenReview(), alive));
    let isAnswered = false;
    void answer.then(() => {
      isAnswered = true;
    });
    await clock.pass(millis(1999));
    expect(isAnswered).toBe(false);
    await clock.pass(seconds(1));
    expect(await answer).toMatchObject({
      allowed: false,
      code: 429,
      message: expect.stringContaining('stays for the moment: it could go when last looked at'),
    });
    expect(clock.pending).toBe(0);
  });
});
