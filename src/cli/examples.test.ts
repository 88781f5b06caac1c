import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeDecision } from '../api/snapshot/decision-file.ts';
import { epochsIn } from '../api/snapshot/testing/epochs-in.ts';
import { roleTable } from '../rules/role-table.ts';
import { policyRules } from '../rules/unit-policy.ts';
import { decideAbout } from './decide.ts';
import { decisionText } from './decision-text.ts';

const folder = join(import.meta.dirname, '../../examples/snapshots');
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => file.replace(/\.yaml$/, ''));
const sourceOf = (name: string) => readFileSync(join(folder, `${name}.yaml`), 'utf8');
const expectedFile = (name: string) => join(folder, 'expected', `${name}.txt`);

/**
 * What `drover decide` says of every example. To rewrite what is expected after a change that was meant, and then to READ the difference:
 *
 *   UPDATE_GOLDEN=1 npx vitest run --project unit src/cli/examples.test.ts && git diff examples/snapshots/expected
 */
const update = process.env['UPDATE_GOLDEN'] === '1';

describe('every example is decided as its file in expected/ says', () => {
  test.each(names)('%s', async (name) => {
    const { decision, faults } = await decideAbout(join(folder, `${name}.yaml`));
    expect(faults).toBeUndefined();
    if (decision === undefined) return;
    const said = `${decisionText(decision)}\n`;
    if (update) writeFileSync(expectedFile(name), said);
    expect(said).toBe(readFileSync(expectedFile(name), 'utf8'));
  });

  test.each(names)('%s, for programs: with its times in RFC 3339', async (name) => {
    const { decision } = await decideAbout(join(folder, `${name}.yaml`));
    expect(decision === undefined ? ['no decision'] : epochsIn(writeDecision(decision))).toEqual([]);
  });

  test('no expectation has lost its example', () => {
    const expected = readdirSync(join(folder, 'expected')).map((file) => file.replace(/\.txt$/, ''));
    expect(expected.filter((name) => !names.includes(name))).toEqual([]);
  });
});

describe('the examples cover the documents', () => {
  const sources = names.map(sourceOf);

  test.each(roleTable.filter(({ engine }) => engine === 'arangodb').map(({ rules }) => rules.role))(
    'a %s of ArangoDB',
    (role) => {
      expect(sources.filter((source) => source.includes(`role: ${role}\n`))).not.toEqual([]);
    },
  );

  test.each(Object.keys(policyRules))('the policy %s', (policy) => {
    expect(sources.filter((source) => source.includes(`drainPolicy: ${policy}\n`))).not.toEqual([]);
  });

  test.each(names)('%s says what it shows', (name) => {
    expect(sourceOf(name)).toMatch(/^# \S.{20}/);
  });
});
