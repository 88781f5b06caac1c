import { describe, expect, test } from 'vitest';
import { engineTypes } from '../model/cluster-spec.ts';
import type { Rule } from '../model/role-rules.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { at, givenSpec, givenTopology } from '../model/testing/given.ts';
import { isFree, mayHoldData, roleTable, rulesFor, rulesIn } from './role-table.ts';

const inWords = (rule: Rule): string => {
  if ('all' in rule) return rule.all.join(' and ');
  return rule.any.map((way) => (typeof way === 'string' ? way : `(${way.all.join(' and ')})`)).join(' or ');
};

describe('the eight kinds of ArangoDB pod', () => {
  test.each`
    role                        | evicted                                                                                    | replaced                                              | as                 | tolerates    | leavesBy      | data     | locked
    ${'image-id'}               | ${'always'}                                                                                | ${'always'}                                           | ${'none'}          | ${5}         | ${'nothing'}  | ${false} | ${false}
    ${'coordinator'}            | ${'always'}                                                                                | ${'always'}                                           | ${'new-id'}        | ${15}        | ${'nothing'}  | ${false} | ${false}
    ${'dbserver'}               | ${'drained and leads-no-unit'}                                                             | ${'leads-no-unit or led-units-have-in-sync-follower'} | ${'new-id'}        | ${300}       | ${'evacuate'} | ${true}  | ${true}
    ${'agent'}                  | ${'not-quorum-leader and leader-responds and other-follower-responds and quorum-survives'} | ${'old-pod-gone'}                                     | ${'same-id-wiped'} | ${300}       | ${'hand-off'} | ${true}  | ${true}
    ${'single'}                 | ${'never'}                                                                                 | ${'never'}                                            | ${'none'}          | ${'forever'} | ${'nothing'}  | ${true}  | ${true}
    ${'single-active-failover'} | ${'follower'}                                                                              | ${'always'}                                           | ${'new-id'}        | ${300}       | ${'hand-off'} | ${true}  | ${true}
    ${'syncmaster'}             | ${'always'}                                                                                | ${'always'}                                           | ${'new-id'}        | ${15}        | ${'nothing'}  | ${false} | ${false}
    ${'syncworker'}             | ${'always'}                                                                                | ${'always'}                                           | ${'new-id'}        | ${60}        | ${'nothing'}  | ${false} | ${false}
  `('$role: evicted when $evicted, replaced as $as', (row) => {
    const rules = rulesFor('arangodb', row.role);
    expect(rules && inWords(rules.mayBeEvicted)).toBe(row.evicted);
    expect(rules && inWords(rules.mayBeReplaced)).toBe(row.replaced);
    expect(rules).toMatchObject({
      role: row.role,
      replacedAs: row.as,
      tolerationSeconds: row.tolerates,
      leavesBy: row.leavesBy,
      holdsData: row.data,
      drainedBeforeRemoval: row.role === 'dbserver',
      locked: row.locked,
      transactionSystem: false,
    });
  });
});

describe('the process classes of FoundationDB', () => {
  const stateful = 'drained or (fully-replicated and one-more-zone-may-fail and no-other-zone-down)';
  test.each`
    role                    | evicted                  | replaced                            | leavesBy      | data     | drained  | locked   | transactionSystem
    ${'storage'}            | ${stateful}              | ${'drained'}                        | ${'replace'}  | ${true}  | ${true}  | ${true}  | ${false}
    ${'general'}            | ${stateful}              | ${'drained'}                        | ${'replace'}  | ${true}  | ${true}  | ${true}  | ${false}
    ${'log'}                | ${stateful}              | ${'drained'}                        | ${'replace'}  | ${true}  | ${true}  | ${true}  | ${true}
    ${'transaction'}        | ${stateful}              | ${'drained'}                        | ${'replace'}  | ${true}  | ${true}  | ${true}  | ${true}
    ${'coordinator'}        | ${stateful}              | ${'drained'}                        | ${'replace'}  | ${true}  | ${true}  | ${true}  | ${true}
    ${'stateless'}          | ${'rest-of-role-serves'} | ${'drained or rest-of-role-serves'} | ${'recreate'} | ${false} | ${true}  | ${true}  | ${true}
    ${'cluster_controller'} | ${'rest-of-role-serves'} | ${'drained or rest-of-role-serves'} | ${'recreate'} | ${false} | ${true}  | ${true}  | ${true}
    ${'proxy'}              | ${'rest-of-role-serves'} | ${'drained or rest-of-role-serves'} | ${'recreate'} | ${false} | ${true}  | ${true}  | ${true}
    ${'commit_proxy'}       | ${'rest-of-role-serves'} | ${'drained or rest-of-role-serves'} | ${'recreate'} | ${false} | ${true}  | ${true}  | ${true}
    ${'grv_proxy'}          | ${'rest-of-role-serves'} | ${'drained or rest-of-role-serves'} | ${'recreate'} | ${false} | ${true}  | ${true}  | ${true}
    ${'backup'}             | ${'rest-of-role-serves'} | ${'drained or rest-of-role-serves'} | ${'recreate'} | ${false} | ${true}  | ${true}  | ${true}
    ${'test'}               | ${'always'}              | ${'always'}                         | ${'recreate'} | ${false} | ${false} | ${false} | ${true}
  `('$role: evicted when $evicted, leaves by $leavesBy', (row) => {
    const rules = rulesFor('foundationdb', row.role);
    expect(rules && inWords(rules.mayBeEvicted)).toBe(row.evicted);
    expect(rules && inWords(rules.mayBeReplaced)).toBe(row.replaced);
    expect(rules).toMatchObject({
      role: row.role,
      replacedAs: 'new-id',
      tolerationSeconds: 300,
      leavesBy: row.leavesBy,
      holdsData: row.data,
      drainedBeforeRemoval: row.drained,
      locked: row.locked,
      transactionSystem: row.transactionSystem,
    });
  });

  test('the classes that the engine recruits for one another stand in for each other, and for backup', () => {
    expect(rulesFor('foundationdb', 'proxy')?.standIns).toEqual([
      'stateless',
      'cluster_controller',
      'commit_proxy',
      'grv_proxy',
    ]);
    expect(rulesFor('foundationdb', 'backup')?.standIns).toEqual([
      'stateless',
      'cluster_controller',
      'proxy',
      'commit_proxy',
      'grv_proxy',
    ]);
    expect(rulesFor('foundationdb', 'storage')?.standIns).toBeUndefined();
  });
});

describe('engines whose users name the roles', () => {
  test.each`
    engine        | evicted                                    | replaced                                                 | as          | leavesBy
    ${'longhorn'} | ${'no-attached-unit-led'}                  | ${'never'}                                               | ${'none'}   | ${'evacuate'}
    ${'etcd'}     | ${'not-quorum-leader and quorum-survives'} | ${'quorum-survives'}                                     | ${'new-id'} | ${'hand-off'}
    ${'redis'}    | ${'leads-no-unit and quorum-survives'}     | ${'led-units-have-in-sync-follower and quorum-survives'} | ${'new-id'} | ${'hand-off'}
    ${'http'}     | ${'quorum-survives'}                       | ${'quorum-survives'}                                     | ${'new-id'} | ${'evacuate'}
  `('$engine: any role is evicted when $evicted', ({ engine, evicted, replaced, as, leavesBy }) => {
    const rules = rulesFor(engine, 'whatever');
    expect(rules && inWords(rules.mayBeEvicted)).toBe(evicted);
    expect(rules && inWords(rules.mayBeReplaced)).toBe(replaced);
    expect(rules).toMatchObject({
      replacedAs: as,
      leavesBy,
      tolerationSeconds: 300,
      holdsData: true,
      drainedBeforeRemoval: true,
      locked: true,
      transactionSystem: false,
    });
  });
});

describe('kinds of roles that a system of the http contract names', () => {
  test.each`
    kind           | evicted                                    | replaced                            | leavesBy      | drained
    ${'data'}      | ${'quorum-survives'}                       | ${'quorum-survives'}                | ${'evacuate'} | ${true}
    ${'member'}    | ${'not-quorum-leader and quorum-survives'} | ${'quorum-survives'}                | ${'hand-off'} | ${true}
    ${'stateless'} | ${'rest-of-role-serves'}                   | ${'drained or rest-of-role-serves'} | ${'recreate'} | ${false}
  `('$kind: evicted when $evicted, and never without a look at its data', (row) => {
    const rules = rulesFor('http', 'whatever', row.kind);
    expect(rules && inWords(rules.mayBeEvicted)).toBe(row.evicted);
    expect(rules && inWords(rules.mayBeReplaced)).toBe(row.replaced);
    const { leavesBy, drained: drainedBeforeRemoval } = row;
    expect(rules).toMatchObject({ leavesBy, drainedBeforeRemoval, holdsData: true, locked: true });
  });

  test('an engine that does not answer, or names no kind, has roles that may hold anything', () => {
    const http = givenSpec({ engine: 'http' });
    const leavesBy = (topology: Snapshot['topology'], role = 'gate') =>
      rulesIn({ spec: http, topology }, role)?.leavesBy;
    const kinds = { gate: 'stateless' as const };
    expect(leavesBy(givenTopology({ kinds }))).toBe('recreate');
    expect(leavesBy(givenTopology({ kinds }), 'constructor')).toBe('evacuate');
    expect(leavesBy(givenTopology({}))).toBe('evacuate');
    expect(leavesBy({ unreachable: 'no answer', since: at(0) })).toBe('evacuate');
  });
});

describe('the table', () => {
  test('an engine with a fixed set has no rule for another role', () => {
    expect(rulesFor('arangodb', 'storage')).toBeUndefined();
    expect(rulesFor('foundationdb', 'dbserver')).toBeUndefined();
  });

  test('lists every engine, and each entry as the engine answers it', () => {
    expect(new Set(roleTable.map(({ engine }) => engine))).toEqual(new Set(engineTypes));
    for (const { engine, rules } of roleTable) {
      if (engine === 'http') continue;
      expect(rulesFor(engine, rules.role)).toEqual(engine === 'redis' ? { ...rules, role: 'primary' } : rules);
    }
    expect(roleTable.map(({ rules }) => rules.role)).toContain('replica');
  });

  test('a role is free exactly when it is left out of the lock', () => {
    for (const { rules } of roleTable) expect(isFree(rules)).toBe(!rules.locked);
  });

  test.each`
    engine            | role             | may
    ${'arangodb'}     | ${'coordinator'} | ${false}
    ${'foundationdb'} | ${'coordinator'} | ${true}
    ${'foundationdb'} | ${'stateless'}   | ${false}
    ${'foundationdb'} | ${'mystery'}     | ${true}
    ${'http'}         | ${'mystery'}     | ${true}
  `('$role of $engine may hold data: $may', ({ engine, role, may }) => {
    expect(mayHoldData(engine, role)).toBe(may);
  });
});
