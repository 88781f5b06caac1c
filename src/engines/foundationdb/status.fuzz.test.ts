import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EngineRefused, EngineUnreachable } from '../engine.ts';
import { fixture, fixtureNames } from './testing/fixture.ts';
import { givenEngine, givenTarget, untilAborted } from './testing/given-engine.ts';
import { ScriptedFdbcli } from './testing/scripted-fdbcli.ts';

/** Something that happens to a document on its way. `where` chooses among all its places. */
type Damage =
  | { readonly what: 'drop field'; readonly where: number }
  | { readonly what: 'other type'; readonly where: number; readonly value: unknown };

const where = fc.nat({ max: 1_000_000 });
const damage: fc.Arbitrary<Damage> = fc.oneof(
  fc.record({ what: fc.constant('drop field' as const), where }),
  fc.record({
    what: fc.constant('other type' as const),
    where,
    value: fc.constantFrom(null, true, false, 0, -1, 1.5, '', 'x', [], {}, [[]], { a: 1 }),
  }),
);

interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/** Every field of every object, and every element of every array. */
function placesIn(value: unknown): readonly Place[] {
  if (!isRecord(value)) return [];
  return Object.keys(value).flatMap((key) => [{ holder: value, key }, ...placesIn(value[key])]);
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

function inflict(document: unknown, damage: Damage): void {
  // An element that is missing from an array leaves no trace: no reader could know. A missing field does.
  const places = placesIn(document).filter(({ holder }) => damage.what === 'other type' || !Array.isArray(holder));
  const place = places[damage.where % Math.max(1, places.length)];
  if (place === undefined) return;
  if (damage.what === 'drop field') delete place.holder[place.key];
  else if (typeOf(place.holder[place.key]) !== typeOf(damage.value)) {
    // A copy: the next damage may be done inside of it, and the value itself is drawn again and again.
    place.holder[place.key] = structuredClone(damage.value);
  }
}

/** The addresses of all that are drained; undefined where the status was refused. */
async function drainedIn(status: string): Promise<readonly string[] | undefined> {
  try {
    const { topology, jobs } = await givenEngine(new ScriptedFdbcli(status).run).observe(untilAborted);
    const drained = topology.processes.filter((process) => process.drained === true);
    const done = jobs.filter(({ state }) => state === 'Done').map(({ group }) => group);
    expect(drained.map(({ group }) => group)).toEqual(expect.arrayContaining(done));
    return drained.flatMap(({ addresses }) => addresses);
  } catch (error) {
    expect(error).toBeInstanceOf(EngineUnreachable);
    return undefined;
  }
}

const known = fc.constantFrom(...fixtureNames).map((name) => ({ name, text: fixture(name) }));

describe('whatever becomes of a status on its way', () => {
  test('fields lost or of other types: it is refused, or nobody is drained who was not', async () => {
    await fc.assert(
      fc.asyncProperty(known, fc.array(damage, { minLength: 1, maxLength: 4 }), async ({ text }, damages) => {
        const whole = (await drainedIn(text)) ?? [];
        const document: unknown = JSON.parse(text);
        for (const one of damages) inflict(document, one);
        const damaged = await drainedIn(JSON.stringify(document));
        expect(whole).toEqual(expect.arrayContaining([...(damaged ?? [])]));
      }),
      { numRuns: 1500 },
    );
  });

  test('every single field lost, one at a time', async () => {
    for (const name of ['leaving-7.3', 'degraded-7.1', 'recovering-7.1'] as const) {
      const text = fixture(name);
      const whole = (await drainedIn(text)) ?? [];
      const count = placesIn(JSON.parse(text)).length;
      for (let where = 0; where < count; where++) {
        const document: unknown = JSON.parse(text);
        inflict(document, { what: 'drop field', where });
        expect(whole).toEqual(expect.arrayContaining([...((await drainedIn(JSON.stringify(document))) ?? [])]));
      }
    }
  });

  test('cut off anywhere: it is refused', async () => {
    await fc.assert(
      fc.asyncProperty(known, fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), async ({ text }, part) => {
        const end = Math.floor(part * text.trimEnd().length);
        expect(await drainedIn(text.slice(0, end))).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  test('anything else that can be printed: it is refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), async (text) => {
        expect(await drainedIn(text)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  test('verbs only refuse or say that nobody heard, and send at most one command that is one command', async () => {
    const ids = fc.oneof(fc.constantFrom('storage-41', 'log-7', 'storage-44'), fc.string());
    const addresses = fc.array(
      fc.oneof(fc.constantFrom('10.0.0.9:4501', '10.0.7.7'), fc.ipV4(), fc.ipV6(), fc.string()),
    );
    const verbs = fc.constantFrom('evacuate', 'cancelEvacuation', 'forget', 'handOff');
    await fc.assert(
      fc.asyncProperty(
        known,
        fc.array(damage, { maxLength: 2 }),
        verbs,
        ids,
        addresses,
        async ({ text }, damages, verb, id, of) => {
          const document: unknown = JSON.parse(text);
          for (const one of damages) inflict(document, one);
          const fdbcli = new ScriptedFdbcli(JSON.stringify(document));
          const target = givenTarget(id, { processes: [id], addresses: of });
          const engine = givenEngine(fdbcli.run);
          await engine[verb](target, untilAborted).catch((error: unknown) => {
            expect(error instanceof EngineRefused || error instanceof EngineUnreachable).toBe(true);
          });
          expect(fdbcli.commands.length).toBeLessThanOrEqual(1);
          for (const command of fdbcli.commands)
            expect(command).toMatch(/^(exclude no_wait|include|coordinators)( [A-Za-z0-9_[][A-Za-z0-9_.:=/[\]-]*)+$/);
        },
      ),
      { numRuns: 500 },
    );
  });
});
