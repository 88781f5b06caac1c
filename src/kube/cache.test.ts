import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { Cache } from './cache.ts';
import { seconds } from './clock.ts';
import { VirtualClock } from './testing/virtual-clock.ts';

interface Thing {
  readonly name: string;
  readonly version: string;
  readonly colours: readonly string[];
}

function cacheOfThings(onHandlerError: (error: unknown) => void = () => {}) {
  const clock = new VirtualClock();
  const cache = new Cache<Thing, 'colour'>({
    clock,
    key: ({ name }) => name,
    version: ({ version }) => version,
    indexes: { colour: ({ colours }) => colours },
    onHandlerError,
  });
  return { clock, cache };
}

const thing = (name: string, version: string, ...colours: string[]): Thing => ({ name, version, colours });

describe('a cache says how far it can be trusted', () => {
  test('it is not synced before the first whole collection, whatever single events told it', () => {
    const { cache } = cacheOfThings();
    cache.put(thing('a', '1'));
    expect(cache.view().synced).toBe(false);
    cache.replace([]);
    expect(cache.view().synced).toBe(true);
    expect(cache.size).toBe(0);
  });

  test('its age grows until the server is heard of again', async () => {
    const { clock, cache } = cacheOfThings();
    cache.replace([]);
    await clock.pass(seconds(40));
    expect(cache.view().age).toBe(40_000);
    cache.heard();
    expect(cache.view().age).toBe(0);
  });
});

describe('handlers', () => {
  test('one that throws does not keep the others from hearing, nor the cache from taking the change', () => {
    const errors: unknown[] = [];
    const { cache } = cacheOfThings((error) => errors.push(error));
    const heard: string[] = [];
    cache.subscribe({
      added: () => {
        throw new Error('broken handler');
      },
    });
    cache.subscribe({ added: ({ name }) => heard.push(name) });
    cache.put(thing('a', '1'));
    expect([heard, errors.length, cache.size]).toEqual([['a'], 1, 1]);
  });

  test('a late one hears first of what is there; one that left hears nothing', () => {
    const { cache } = cacheOfThings();
    cache.replace([thing('a', '1')]);
    const heard: string[] = [];
    const leave = cache.subscribe({
      added: ({ name }) => heard.push(name),
      deleted: ({ name }) => heard.push(`-${name}`),
    });
    cache.put(thing('b', '2'));
    leave();
    cache.remove(thing('b', '3'));
    expect(heard).toEqual(['a', 'b']);
  });

  test('an update comes with what was there before; the same version again is no update', () => {
    const { cache } = cacheOfThings();
    const heard: string[] = [];
    cache.subscribe({ updated: (now, before) => heard.push(`${before.version}>${now.version}`) });
    for (const version of ['1', '1', '2', '2']) cache.put(thing('a', version));
    expect(heard).toEqual(['1>2']);
  });
});

const things = fc.record({
  name: fc.constantFrom('a', 'b', 'c'),
  version: fc.integer({ min: 1, max: 9 }).map(String),
  colours: fc.uniqueArray(fc.constantFrom('red', 'green', 'blue')),
});
const change = fc.oneof(
  fc.record({ do: fc.constant('put' as const), thing: things }),
  fc.record({ do: fc.constant('remove' as const), thing: things }),
  fc.record({ do: fc.constant('replace' as const), things: fc.uniqueArray(things, { selector: ({ name }) => name }) }),
);

property.prop([fc.array(change, { maxLength: 30 })])(
  'indexes find just what a search through everything finds',
  (changes) => {
    const { cache } = cacheOfThings();
    const model = new Map<string, Thing>();
    const put = (given: Thing) => {
      if (model.get(given.name)?.version !== given.version) model.set(given.name, given);
      cache.put(given);
    };
    for (const change of changes) {
      if (change.do === 'put') put(change.thing);
      if (change.do === 'remove') {
        model.delete(change.thing.name);
        cache.remove(change.thing);
      }
      if (change.do === 'replace') {
        const present = new Set<string>(change.things.map(({ name }) => name));
        for (const name of model.keys()) if (!present.has(name)) model.delete(name);
        for (const given of change.things)
          if (model.get(given.name)?.version !== given.version) model.set(given.name, given);
        cache.replace(change.things);
      }
      const byName = (a: Thing, b: Thing) => a.name.localeCompare(b.name);
      expect([...cache.values()].sort(byName)).toEqual([...model.values()].sort(byName));
      for (const colour of ['red', 'green', 'blue']) {
        const expected = [...model.values()].filter(({ colours }) => colours.includes(colour)).sort(byName);
        expect([...cache.find('colour', colour)].sort(byName)).toEqual(expected);
      }
    }
  },
);
