import { describe, expect, test } from 'vitest';
import type { Decision } from '../model/decision.ts';
import { allow } from '../model/decision.ts';
import type { ProcessGroupId } from '../model/ids.ts';
import { name } from '../model/ids.ts';
import { reasons } from '../model/reasons.ts';
import { at, givenGrant } from '../model/testing/given.ts';
import { decisionText } from './decision-text.ts';

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
interface Moved {
  readonly processes: readonly string[];
  readonly units?: readonly string[];
  readonly addresses?: readonly string[];
}

const linesOf = (given: Partial<Decision>): readonly string[] => decisionText(decision(given)).split('\n');

describe('a decision in words', () => {
  test('of nothing says that there is nothing', () => {
    expect(decisionText(decision({}))).toBe(
      'db/orders at 2026-11-15T00:00:00Z\n\nThere are no process groups.\n\nNothing changes by time alone.',
    );
  });

  test('tells every reason why one stays, and counts as people do', () => {
    const stays = {
      kind: 'wait',
      reasons: [
        reasons.notDrained({ group: 'db-10', percent: null, secondsLeft: null }),
        reasons.leadsUnits({ group: 'db-10', units: 1, unit: 'shard s1' }),
      ],
    } as const;
    const never = { kind: 'never', reasons: [reasons.neverReplaced({ group: 'db-9', role: 'single' })] } as const;
    const lines = linesOf({
      verdicts: [
        { group: name('db-10'), eviction: stays, replacement: allow },
        {
          group: name('db-2'),
          eviction: allow,
          replacement: { kind: 'wait', reasons: [reasons.oldPodPresent({ group: 'db-2' })] },
        },
        { group: name('db-9'), eviction: allow, replacement: never },
      ],
    });
    expect(lines.slice(2, 7)).toEqual([
      'PROCESS GROUP   EVICTION   REPLACEMENT   WHY',
      'db-2            allow      wait          replacement: db-2 keeps its identity: its pod is not known to be gone',
      'db-9            allow      never',
      `db-10           wait       allow         ${stays.reasons[0].message}`,
      `                                         ${stays.reasons[1].message}`,
    ]);
  });

  test('tells the same thing once, and whose it is where the message does not', () => {
    const reason = reasons.notDrained({ group: 'db-1', percent: null, secondsLeft: null });
    const nobodys = { ...reason, message: 'it waits for db-10' };
    const holds = [reason, reason, nobodys].map((one) => ({
      step: 'test',
      group: name<ProcessGroupId>('db-1'),
      reason: one,
    }));
    expect(linesOf({ holds }).slice(4, 7)).toEqual(['Waiting:', `  ${reason.message}`, '  db-1: it waits for db-10']);
  });

  test.each([
    [
      'always-allow lets it go: nothing else protects volume pvc-1',
      '; EXEMPT: always-allow lets it go: nothing else protects volume pvc-1',
    ],
    [null, ''],
  ])('says aloud by whose leave a rule is not kept: %s', (exemption, added) => {
    const reason = reasons.ruleHolds({ group: 'im-a', by: 'jane' });
    const [, , , , , line] = linesOf({
      records: [{ record: 'granted', grant: givenGrant('im-a', { exemption }), reason }],
    });
    expect(line).toBe(`  ${reason.message}${added}`);
  });

  test.each<readonly [Moved, string]>([
    [{ processes: ['im-a'], units: ['pvc-1', 'pvc-2'] }, 'move its copies of pvc-1 and pvc-2 away'],
    [{ processes: ['im-a'] }, 'move its data away'],
    [{ processes: [], addresses: ['10.0.0.1'] }, 'move the data of 10.0.0.1 away'],
  ])('says what is moved: %o', (moved, says) => {
    const reason = reasons.leaving({ group: 'im-a' });
    const [, , , , , line] = linesOf({
      actions: [
        {
          act: 'evacuate',
          group: name('im-a'),
          reason,
          addresses: moved.addresses ?? [],
          processes: moved.processes.map((id) => name(id)),
          ...(moved.units === undefined ? {} : { units: moved.units.map((id) => name(id)) }),
        },
      ],
    });
    expect(line).toBe(`  im-a: ${says} (${reason.message})`);
  });
});
