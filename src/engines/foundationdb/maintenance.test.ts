import { describe, expect, test } from 'vitest';
import type { Zone } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import { seconds } from '../../model/time.ts';
import { changed, fixture } from './testing/fixture.ts';
import { givenEngine, outcome, untilAborted } from './testing/given-engine.ts';
import { ScriptedFdbcli } from './testing/scripted-fdbcli.ts';

const off = fixture('healthy-7.3');
const on = changed(off, { 'cluster/maintenance_zone': 'node-b', 'cluster/maintenance_seconds_remaining': 412.5 });

async function maintenance(zone: string | null, before: string, after: string, time = 600): Promise<string> {
  const fdbcli = new ScriptedFdbcli(before, after);
  const window = zone === null ? null : { zone: name<Zone>(zone), time: seconds(time) };
  const result = await outcome(givenEngine(fdbcli.run).maintenance(window, untilAborted));
  return result === 'done' ? (fdbcli.commands[0] ?? 'nothing') : result;
}

describe('maintenance of a zone', () => {
  test.each`
    zone             | before | after                        | time          | expected
    ${'node-b'}      | ${off} | ${on}                        | ${600}        | ${'maintenance on node-b 600'}
    ${'node-b'}      | ${off} | ${on}                        | ${0.5}        | ${'maintenance on node-b 1'}
    ${'node-b'}      | ${on}  | ${on}                        | ${600}        | ${'maintenance on node-b 600'}
    ${'node-a'}      | ${on}  | ${on}                        | ${600}        | ${'EngineRefused: zone node-b is under maintenance, and only one zone can be: node-a waits for it to end'}
    ${'node-b'}      | ${off} | ${off}                       | ${600}        | ${'EngineUnreachable: fdbcli took the maintenance, and the database has none under it'}
    ${'node-b'}      | ${off} | ${fixture('recovering-7.1')} | ${600}        | ${'maintenance on node-b 600'}
    ${'node-b; off'} | ${off} | ${on}                        | ${600}        | ${'EngineRefused: "node-b; off" cannot be told to fdbcli: it is not one plain word'}
    ${'node-b'}      | ${off} | ${on}                        | ${-1}         | ${'EngineRefused: maintenance cannot last -1 s'}
    ${'node-b'}      | ${off} | ${on}                        | ${Number.NaN} | ${'EngineRefused: maintenance cannot last NaN s'}
    ${null}          | ${on}  | ${off}                       | ${600}        | ${'maintenance off'}
    ${null}          | ${off} | ${off}                       | ${600}        | ${'nothing'}
    ${null}          | ${on}  | ${on}                        | ${600}        | ${'EngineUnreachable: fdbcli took the maintenance, and the database has zone node-b under it'}
  `('$zone for $time s: $expected', async ({ zone, before, after, time, expected }) => {
    expect(await maintenance(zone, before, after, time)).toBe(expected);
  });
});
