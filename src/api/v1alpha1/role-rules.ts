import type { EngineType } from '../../model/cluster-spec.ts';
import type { Rule } from '../rule.ts';
import { engineRoles } from './engine-roles.ts';

type Named = { readonly name: string };

/** Pod names write `_` as `-`, so two roles that differ only there would get the same pods. */
export const roleNamesDiffer: Rule<readonly Named[]> = {
  cel: "self.all(role, self.exists_one(other, other.name.replace('_', '-') == role.name.replace('_', '-')))",
  message: 'roles[].name must be unique, with - and _ taken as the same; merge the roles, or rename one',
  holds: (roles) => new Set(roles.map(({ name }) => name.replaceAll('_', '-'))).size === roles.length,
};

interface EngineAndRoles {
  readonly engine: { readonly type: EngineType };
  readonly roles: readonly Named[];
}

const fixed = Object.entries(engineRoles);

/** Every role is one that the engine knows. */
export const rolesFitEngine: Rule<EngineAndRoles> = {
  cel: fixed
    .map(
      ([type, names]) =>
        `(self.engine.type != '${type}' || self.roles.all(role, role.name in [${names.map((name) => `'${name}'`).join(', ')}]))`,
    )
    .join(' && '),
  message: `roles[].name must be a role of the engine. ${fixed.map(([type, names]) => `${type}: ${names.join(', ')}`).join('. ')}`,
  fieldPath: '.roles',
  holds: ({ engine, roles }) => {
    const known = engineRoles[engine.type];
    return known === undefined || roles.every(({ name }) => known.includes(name));
  },
};
