import type { EngineType } from '../model/cluster-spec.ts';
import type { RoleRules } from '../model/role-rules.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { RoleKind } from '../model/topology.ts';
import { isUnreachable } from '../model/topology.ts';
import { arangodbRoles } from './roles/arangodb.ts';
import { etcdMember } from './roles/etcd.ts';
import { foundationdbRoles } from './roles/foundationdb.ts';
import { httpRoles } from './roles/http.ts';
import { instanceManager } from './roles/longhorn.ts';
import { redisServer } from './roles/redis.ts';

/** The roles of an engine that knows a fixed set, or the rules for whatever its users call their roles: one, or one for each kind. */
type EngineRoles =
  | { readonly fixed: ReadonlyMap<string, RoleRules> }
  | { readonly any: RoleRules }
  | { readonly kinds: typeof httpRoles };

const fixed = (roles: readonly RoleRules[]): EngineRoles => ({
  fixed: new Map(roles.map((role) => [role.role, role])),
});

const engines: { readonly [engine in EngineType]: EngineRoles } = {
  arangodb: fixed(arangodbRoles),
  foundationdb: fixed(foundationdbRoles),
  longhorn: { any: instanceManager },
  etcd: { any: etcdMember },
  redis: { any: redisServer },
  http: { kinds: httpRoles },
};

/** What holds for a role, whatever the users of some engines call it; undefined where the engine knows no such role. */
export function rulesFor(engine: EngineType, role: string, kind: RoleKind = 'data'): RoleRules | undefined {
  const roles = engines[engine];
  if ('kinds' in roles) return roles.kinds[kind];
  return 'fixed' in roles ? roles.fixed.get(role) : roles.any;
}

/** What holds for a role by what the engine says of it now. One that says nothing gets the rules of a role that may hold anything. */
export function rulesIn({ spec, topology }: Pick<Snapshot, 'spec' | 'topology'>, role: string): RoleRules | undefined {
  const kinds = isUnreachable(topology) ? {} : (topology.kinds ?? {});
  return rulesFor(spec.engine, role, Object.hasOwn(kinds, role) ? kinds[role] : undefined);
}

/** Whether processes of a role may hold data. Those of a role that nobody knows may. */
export const mayHoldData = (engine: EngineType, role: string): boolean => rulesFor(engine, role)?.holdsData !== false;

/**
 * Whether a role may always go and holds nothing. It is left out of the lock, so that no answer but allow could be kept: its answer needs no
 * engine, and nothing may rely on it.
 */
export function isFree({ mayBeEvicted: rule, holdsData }: RoleRules): boolean {
  return !holdsData && 'all' in rule && rule.all.every((predicate) => predicate === 'always');
}

/** Every rule that there is, for the reference. */
export const roleTable: readonly { readonly engine: EngineType; readonly rules: RoleRules }[] = [
  ...arangodbRoles.map((rules) => ({ engine: 'arangodb' as const, rules })),
  ...foundationdbRoles.map((rules) => ({ engine: 'foundationdb' as const, rules })),
  { engine: 'longhorn', rules: instanceManager },
  { engine: 'etcd', rules: etcdMember },
  { engine: 'redis', rules: redisServer },
  { engine: 'redis', rules: { ...redisServer, role: 'replica' } },
  ...Object.values(httpRoles).map((rules) => ({ engine: 'http' as const, rules })),
];
