import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Target } from '../../engines/engine.ts';
import type { HttpEngine } from '../../engines/http/http-engine.ts';
import { name } from '../../model/ids.ts';
import { outcome, ServerWorld, untilAborted } from '../testing/http-server-world.ts';

const folder = join(import.meta.dirname, '../../../examples/http-engine');
const hasPython = spawnSync('python3', ['--version']).status === 0;
const samples = [
  { language: 'TypeScript', command: process.execPath, file: 'server.ts', isHere: true },
  // Where everything must be tested, a Python that is missing is a failure.
  { language: 'Python', command: 'python3', file: 'server.py', isHere: hasPython || process.env['CI'] === 'true' },
];
for (const { language, isHere } of samples)
  if (!isHere) console.log(`skipped: the sample server in ${language}: there is no python3 on this machine`);

/** The port of the sample server, which runs until the test ends. */
async function running({ command, file }: (typeof samples)[number]): Promise<string> {
  const env = { ...process.env, HOST: '127.0.0.1', PORT: '0', TOKEN: 'sesame' };
  const child = spawn(command, [join(folder, file)], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill());
  const said = Promise.withResolvers<string>();
  let line = '';
  child.stdout.on('data', (part) => {
    line += String(part);
    if (line.endsWith('\n')) said.resolve(line);
  });
  child.once('exit', () => said.reject(new Error(`${file} ended before it listened`)));
  return /\b\d{4,5}\b/.exec(await said.promise)?.[0] ?? 'none';
}

const targetOf = (group: string, process: string): Target => ({
  group: name(group),
  processes: [name(process)],
  addresses: [],
});

async function seen(engine: HttpEngine) {
  const { topology } = await engine.observe(untilAborted);
  return {
    processes: topology.processes.map(
      ({ id, group, drained }) => `${id} in ${group}${drained === true ? ', drained' : ''}`,
    ),
    units: topology.units.map(
      ({ id, replicas }) => `${id} on ${replicas.map((one) => one.process + (one.leader ? '*' : '')).join(' ')}`,
    ),
  };
}

describe.each(samples)('the sample server in $language', (sample) => {
  test.skipIf(!sample.isHere)('is understood, and does what it is told', async () => {
    const world = new ServerWorld();
    await world.secret('ledger', { token: 'sesame' });
    await world.secret('wrong', { token: 'xyzzy' });
    const port = await running(sample);
    const pods = ['ledger-0', 'ledger-1', 'ledger-2'].map((pod) => ({
      name: pod,
      group: name<Target['group']>(pod),
      addresses: [],
      ready: true,
    }));
    const by = (secret: string) =>
      world.engine({ url: `http://127.0.0.1:${port}`, bearerTokenSecretRef: { name: secret, key: 'token' } }, pods);
    expect(await outcome(by('wrong').observe(untilAborted))).toContain('(401: who are you?)');

    const engine = by('ledger');
    expect(await seen(engine)).toEqual({
      processes: ['a in ledger-0', 'b in ledger-1', 'c in ledger-2'],
      units: ['s1 on a* b', 's2 on b* c'],
    });
    await engine.handOff(targetOf('ledger-1', 'b'), untilAborted);
    expect((await seen(engine)).units).toEqual(['s1 on a* b', 's2 on c* b']);
    expect(await outcome(engine.forget(targetOf('ledger-0', 'a'), untilAborted))).toMatch(
      /^EngineRefused.*a still has copies/,
    );
    await engine.evacuate({ ...targetOf('ledger-0', 'a'), units: [name('s1')] }, untilAborted);
    await engine.evacuate(targetOf('ledger-0', 'a'), untilAborted);
    const after = await seen(engine);
    expect(after.processes[0]).toBe('a in ledger-0, drained');
    expect(after.units).toEqual(['s1 on c* b', 's2 on c* b']);
    await engine.forget(targetOf('ledger-0', 'a'), untilAborted);
    expect((await seen(engine)).processes).toEqual(['b in ledger-1', 'c in ledger-2']);
    expect(await outcome(engine.evacuate(targetOf('ledger-1', 'b'), untilAborted))).toMatch(
      /^EngineRefused.*there is no other place for a copy on b/,
    );
    await engine.cancelEvacuation(targetOf('ledger-1', 'b'), untilAborted);
    expect((await engine.observe(untilAborted)).topology.processes[0]?.excluded).toBe(false);
  });
});
