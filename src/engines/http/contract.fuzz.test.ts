import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contradictionsInTopology } from '../../model/topology-contradictions.ts';
import type { Observation } from '../engine.ts';
import { EngineRefused, EngineUnreachable } from '../engine.ts';
import { ScriptedServer, someTarget, soundTopology, untilAborted } from './testing/given-server.ts';

/** Every field of every object, and every element of every array. */
function placesIn(value: unknown): readonly { readonly holder: Record<string, unknown>; readonly key: string }[] {
  if (!isRecord(value)) return [];
  return Object.keys(value).flatMap((key) => [{ holder: value, key }, ...placesIn(value[key])]);
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const where = fc.nat({ max: 1_000_000 });
const junk = fc.oneof(
  fc.constantFrom(null, true, false, 0, -1, 1.5, 1e300, '', 'unknown', 'a', 'b', '__proto__', [], {}, [[]]),
  fc.jsonValue(),
);
const damage = fc.oneof(
  fc.record({ what: fc.constant('drop'), where, value: fc.constant(null) }),
  fc.record({ what: fc.constant('set'), where, value: junk }),
  // A list that repeats itself, or a value that stands elsewhere in the answer too.
  fc.record({ what: fc.constant('repeat'), where, value: fc.nat({ max: 1_000_000 }) }),
);

function damaged(damages: readonly (typeof damage extends fc.Arbitrary<infer One> ? One : never)[]): unknown {
  const document: unknown = structuredClone(soundTopology);
  for (const { what, where, value } of damages) {
    const places = placesIn(document);
    const place = places[where % Math.max(1, places.length)];
    if (place === undefined) break;
    const other = typeof value === 'number' ? places[value % places.length] : undefined;
    if (what === 'drop') delete place.holder[place.key];
    // A copy: the next damage may be done inside of it.
    else if (what === 'set') place.holder[place.key] = structuredClone(value);
    else if (other !== undefined) place.holder[place.key] = structuredClone(other.holder[other.key]);
  }
  return document;
}

/** What was understood; undefined where the answer was refused. Anything but the two errors fails the test. */
async function understood(body: string, headers = {}): Promise<Observation | undefined> {
  const server = new ScriptedServer();
  server.topology = { body, headers };
  try {
    return await server.engine().observe(untilAborted);
  } catch (error) {
    expect(error).toBeInstanceOf(EngineUnreachable);
    expect(String(error).length).toBeLessThan(1000);
    return undefined;
  }
}

const facts = ({ topology }: Observation) => ({
  drained: topology.processes.filter(({ drained }) => drained === true).map(({ id }) => id),
  counted: topology.units.flatMap(({ id, replicas }) =>
    replicas
      .filter(({ inSync, state }) => inSync === true && state === 'healthy')
      .map(({ process }) => `${id} ${process}`),
  ),
});

describe('whatever becomes of an answer on its way', () => {
  test('it is refused, or understood without a contradiction and without a number that is none', async () => {
    let sound = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { maxLength: 4 }), async (damages) => {
        const seen = await understood(JSON.stringify(damaged(damages)) ?? '');
        if (seen === undefined) return;
        sound += 1;
        expect(contradictionsInTopology(seen.topology)).toEqual([]);
        expect(JSON.parse(JSON.stringify(seen))).toEqual(seen);
      }),
      { numRuns: 1000 },
    );
    expect(sound).toBeGreaterThan(100);
  });

  test('a field that is lost is never a good fact', async () => {
    const whole = await understood(JSON.stringify(soundTopology));
    const known = whole === undefined ? { drained: [], counted: [] } : facts(whole);
    const count = placesIn(structuredClone(soundTopology)).length;
    for (let where = 0; where < count; where++) {
      const { holder } = placesIn(soundTopology)[where] ?? {};
      if (Array.isArray(holder)) continue;
      const seen = await understood(JSON.stringify(damaged([{ what: 'drop', where, value: null }])));
      if (seen === undefined) continue;
      expect(known.drained).toEqual(expect.arrayContaining(facts(seen).drained));
      expect(known.counted).toEqual(expect.arrayContaining(facts(seen).counted));
    }
  });

  test('cut off anywhere, it is refused', async () => {
    const text = JSON.stringify(soundTopology);
    for (let end = 0; end < text.length; end += 7) expect(await understood(text.slice(0, end))).toBeUndefined();
  });

  test('any other text is refused', async () => {
    const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.json());
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        expect(await understood(text)).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  test('verbs pass, refuse, or say that nobody knows, and nothing else', async () => {
    const answers = fc.record({
      status: fc.oneof(fc.integer({ min: 100, max: 599 }), fc.constant(0)),
      body: fc.oneof(fc.string(), fc.json()),
      headers: fc.record({ 'content-type': fc.string(), location: fc.string() }, { requiredKeys: [] }),
    });
    const health = fc.oneof(fc.constant(undefined), fc.json());
    const verbs = fc.constantFrom('evacuate', 'cancelEvacuation', 'forget', 'handOff');
    await fc.assert(
      fc.asyncProperty(answers, health, verbs, async (answer, body, verb) => {
        const server = new ScriptedServer();
        server.verb = answer;
        if (body !== undefined) server.health = { body };
        const engine = server.engine();
        await engine[verb](someTarget, untilAborted).catch((error: unknown) => {
          expect(error instanceof EngineRefused || error instanceof EngineUnreachable).toBe(true);
        });
        expect(server.asked.length).toBeLessThanOrEqual(2);
      }),
      { numRuns: 300 },
    );
  });
});
