import { describe, expect, test } from 'vitest';
import type { FdbcliResult } from './fdbcli.ts';
import type { FixtureName } from './testing/fixture.ts';
import { fixture } from './testing/fixture.ts';
import { givenEngine, outcome, untilAborted } from './testing/given-engine.ts';
import { ScriptedFdbcli } from './testing/scripted-fdbcli.ts';

interface Row {
  readonly before: FixtureName;
  readonly after: FixtureName;
  readonly answer: Partial<FdbcliResult>;
  readonly commands: readonly string[];
  readonly words: string;
}

const create = ['configure new double ssd'];
const exists = { exitCode: 1, stderr: "ERROR: Database already exists! To change configuration, don't say `new'\n" };

describe('a database is created where there is none', () => {
  test.each<Row>([
    { before: 'never-created-7.3', after: 'recovering-7.1', answer: {}, commands: create, words: 'done' },
    { before: 'never-created-7.3', after: 'healthy-7.3', answer: exists, commands: create, words: 'done' },
    { before: 'healthy-7.3', after: 'healthy-7.3', answer: {}, commands: [], words: 'done' },
    { before: 'recovering-7.1', after: 'healthy-7.3', answer: {}, commands: [], words: 'done' },
    {
      before: 'unreachable-7.1',
      after: 'healthy-7.3',
      answer: {},
      commands: [],
      words: 'EngineUnreachable: too few coordinators',
    },
    {
      before: 'never-created-7.3',
      after: 'never-created-7.3',
      answer: {},
      commands: create,
      words: 'EngineUnreachable: fdbcli says that it created the database',
    },
    {
      before: 'never-created-7.3',
      after: 'healthy-7.3',
      answer: { exitCode: 1, stdout: 'Usage: configure [new]\n' },
      commands: create,
      words: 'EngineRefused: ',
    },
  ])('$before, then $after, answered $answer: $words', async ({ before, after, answer, commands, words }) => {
    const fdbcli = new ScriptedFdbcli(fixture(before), fixture(after));
    fdbcli.answer = answer;
    expect(await outcome(givenEngine(fdbcli.run).bootstrap(untilAborted))).toContain(words);
    expect(fdbcli.commands).toEqual(commands);
  });

  test('the engine knows the connection string once it was told', async () => {
    const engine = givenEngine(new ScriptedFdbcli(fixture('healthy-7.3')).run);
    expect(engine.connectionString).toBeNull();
    await engine.observe(untilAborted);
    expect(engine.connectionString).toBe('orders:Lz8kqVbR@10.0.1.7:4501,10.0.1.8:4501,10.0.1.9:4501');
  });
});
