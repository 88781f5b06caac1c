import { describe, expect, test } from 'vitest';
import { forcedInWords } from '../../model/forced.ts';
import {
  at,
  givenAsk,
  givenGrant,
  givenGroup,
  givenProcess,
  givenRole,
  givenSpec,
  givenTopology,
} from '../../model/testing/given.ts';
import { over, scene, written } from '../testing/storage-scene.ts';
import { timestampOf } from './moments.ts';

const now = timestampOf(at(0));

describe('grants', () => {
  const asked = scene({
    spec: givenSpec({ engine: 'etcd', roles: [givenRole('member', { count: 3 })] }),
    processGroups: ['member-1', 'member-2', 'member-3'].map((id) => givenGroup(id)),
    topology: givenTopology({ processes: ['member-1', 'member-2', 'member-3'].map((id) => givenProcess(id)) }),
  });

  test('a grant of this decision names its pod and who asked', () => {
    const status = written({ ...asked, asks: [givenAsk('member-1', { by: 'jane' })] });
    expect(status.grants).toEqual([
      {
        pod: 'member-1',
        uid: 'uid-member-1',
        process: 'member-1',
        node: 'node-of-member-1',
        grantedAt: now,
        askedBy: 'jane',
        openedAt: null,
        closedAt: null,
        goneAt: null,
        exemption: null,
      },
    ]);
    expect(status.asks).toEqual([
      {
        pod: 'member-1',
        uid: 'uid-member-1',
        process: 'member-1',
        node: 'node-of-member-1',
        source: 'Eviction',
        by: 'jane',
        since: timestampOf(at(-10)),
        lastSeen: now,
        times: 1,
        nodeCordoned: false,
        letGoAt: now,
      },
    ]);
  });

  test.each([
    ['not let go where its grant was closed again', { closedAt: at(-1) }, null],
    ['let go where it went all the same', { closedAt: at(-2), goneAt: at(0) }, timestampOf(at(-5))],
    ['let go where its grant stands', {}, timestampOf(at(-5))],
  ])('the pod of an ask was %s', (_, grant, letGoAt) => {
    const status = written({ ...asked, asks: [givenAsk('member-1')], grants: [givenGrant('member-1', grant)] });
    expect(status.asks).toMatchObject([{ letGoAt }]);
  });

  test('what only the status knows of a grant stays when the pod is gone', () => {
    const before = written({ ...asked, asks: [givenAsk('member-1')] });
    const gone = {
      ...asked,
      asks: [givenAsk('member-1')],
      processGroups: asked.processGroups.map((group) => (group.id === 'member-1' ? { ...group, pod: null } : group)),
      grants: [givenGrant('member-1', { grantedAt: at(0), goneAt: at(1) })],
    };
    const grants = before.grants.map((grant) => ({ ...grant, pod: 'orders-member-1', openedAt: now }));
    const after = written(gone, over({ ...before, grants }));
    expect(after.grants).toMatchObject([
      { pod: 'orders-member-1', askedBy: 'jane', openedAt: now, goneAt: timestampOf(at(1)) },
    ]);
  });

  test.each`
    exemption                                                         | by
    ${forcedInWords({ why: 'dead', source: 'Eviction', by: 'jane' })} | ${'drover.dev/force'}
    ${'forced by the annotations of others'}                          | ${'unknown'}
    ${'always-allow lets it go: nothing else protects volume v1'}     | ${'spec.drainPolicy'}
    ${'for a reason of tomorrow'}                                     | ${'unknown'}
  `('$exemption: permitted by $by', ({ exemption, by }) => {
    const status = written({ ...asked, grants: [givenGrant('member-1', { exemption })] });
    expect(status.grants[0]?.exemption).toEqual({ by, reason: exemption });
  });

  test('who permitted it stays as it was written, while it is the same exemption', () => {
    const exemption = { by: 'system:serviceaccount:ops:night-shift', reason: 'for a reason of yesterday' };
    const granted = (reason: string) => ({ ...asked, grants: [givenGrant('member-1', { exemption: reason })] });
    const before = written(granted(exemption.reason));
    const named = over({ ...before, grants: before.grants.map((grant) => ({ ...grant, exemption })) });
    expect(written(granted(exemption.reason), named).grants[0]?.exemption).toEqual(exemption);
    expect(written(granted('always-allow lets it go: x'), named).grants[0]?.exemption?.by).toBe('spec.drainPolicy');
  });
});
