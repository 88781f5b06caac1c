/** One line of a role: what may be done to which resources of one API group. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly Verb[];
}

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/** What one part of the operator may do, and why it needs that. */
export interface Permissions {
  /** In every namespace. */
  readonly cluster: readonly PolicyRule[];
  /** Only in the namespace that the operator runs in. */
  readonly own: readonly PolicyRule[];
}

/** All permissions together, sorted so that the generated file does not depend on the order of the parts. */
export function mergePermissions(parts: readonly Permissions[]): Permissions {
  const sorted = (rules: readonly PolicyRule[]) =>
    [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).entries()]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([, rule]) => rule);
  return {
    cluster: sorted(parts.flatMap(({ cluster }) => cluster)),
    own: sorted(parts.flatMap(({ own }) => own)),
  };
}
