import { describe, expect, test } from 'vitest';
import { lockPolicies } from './policies.ts';

interface Policy {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly failurePolicy?: string;
    readonly policyName?: string;
    readonly validationActions?: readonly string[];
    readonly matchConstraints?: { readonly resourceRules: readonly object[] };
    readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
    readonly validations?: readonly { readonly expression: string; readonly reason: string }[];
  };
}

const drover = 'system:serviceaccount:drover:drover';
const policies: readonly Policy[] = JSON.parse(JSON.stringify(lockPolicies(drover)));
const named = (kind: string, name: string) =>
  policies.find((policy) => policy.kind === kind && policy.metadata.name === name);

describe('the policies of the lock', () => {
  test('are three: who opens and forces, bound everywhere, and who deletes, bound by guards that ask for it', () => {
    expect(policies.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'ValidatingAdmissionPolicy drover-guard-label',
      'ValidatingAdmissionPolicyBinding drover-guard-label',
      'ValidatingAdmissionPolicy drover-guard-deletes',
    ]);
    expect(named('ValidatingAdmissionPolicyBinding', 'drover-guard-label')?.spec).toEqual({
      policyName: 'drover-guard-label',
      validationActions: ['Deny', 'Audit'],
    });
  });

  test.each(['drover-guard-label', 'drover-guard-deletes'])('%s fails closed and names Drover itself', (name) => {
    const policy = named('ValidatingAdmissionPolicy', name);
    expect(policy?.spec.failurePolicy).toBe('Fail');
    expect(JSON.stringify(policy)).toContain(drover);
  });

  test('the label and the annotation are watched wherever a pod is written', () => {
    const rules = named('ValidatingAdmissionPolicy', 'drover-guard-label')?.spec.matchConstraints?.resourceRules;
    expect(rules).toMatchObject([
      { operations: ['CREATE', 'UPDATE'], resources: ['pods'] },
      { operations: ['UPDATE'], resources: ['pods/status'] },
    ]);
  });

  test('a DELETE of what has ended, has no place, is open or was deleted before is nobody’s business', () => {
    const conditions = named('ValidatingAdmissionPolicy', 'drover-guard-deletes')?.spec.matchConditions ?? [];
    expect(conditions.map(({ name }) => name)).toEqual(['first-delete', 'alive', 'placed', 'closed', 'not-exempt']);
    expect(conditions.at(-1)?.expression).toContain("'system:serviceaccount:kube-system:namespace-controller'");
  });
});
