import type { Random } from '../../kube/random.ts';
import { randomInteger, seededRandom } from '../../kube/random.ts';
import { foundationdbDraws } from './draw-foundationdb.ts';
import { storeDraws } from './draw-store.ts';
import type { FoundationDBPlan } from './foundationdb-subject.ts';
import type { Change, Happening } from './happenings.ts';
import { engineFaults, wireFaults } from './happenings.ts';
import { pick, pickOf } from './pick.ts';
import type { StorePlan } from './store-subject.ts';
import { taintKey } from './taint-key.ts';

/** What a simulation plays. */
export const scenarioNames = ['drains', 'failures', 'upgrades', 'mixed', 'foundationdb'] as const;
export type ScenarioName = (typeof scenarioNames)[number];

const stores = scenarioNames.filter((name) => name !== 'foundationdb');
/** A run with the controllers takes about eight times as long as one with the stand-in: one in so many leaves time for both. */
const foundationdbEvery = 40;

/** What a seed plays where all scenarios are wanted: so that a seed alone still says what is played. */
export const dealt = (seed: number): ScenarioName =>
  seed % foundationdbEvery === 0 ? 'foundationdb' : (stores[seed % stores.length] ?? 'mixed');

/** All that a run depends on. */
export interface RunPlan {
  readonly seed: number;
  readonly nodes: number;
  readonly subject: StorePlan | FoundationDBPlan;
  readonly happenings: readonly Happening[];
}

/** When everything has come up and something may happen, and from when on nothing new does. In seconds. */
const begin = 600;
const end = 2 * 3600;
const nodeCount = 9;

type Kind = Happening['what'];

/** What people do in a scenario, and how often. */
const deeds: { readonly [name in ScenarioName]: Partial<Record<Kind, number>> } = {
  drains: { drain: 3 },
  failures: { drain: 2 },
  upgrades: { change: 4, drain: 1 },
  mixed: { drain: 2, change: 2, taint: 1 },
  foundationdb: { drain: 1, change: 3, taint: 1 },
};

/** What may go wrong in a scenario, and how often at most. Each run has some of them only: faults that always come together hide each other. */
const attendant = { wire: 5, engine: 3, 'operator-killed': 3 } as const;
const worldly = { 'node-dies': 2, 'node-cut-off': 1, 'pod-crashes': 2, 'disk-dies': 1 } as const;
const faults: { readonly [name in ScenarioName]: Partial<Record<Kind, number>> } = {
  drains: attendant,
  failures: { ...attendant, ...worldly },
  upgrades: { ...attendant, 'quota-full': 1, 'clock-jumps': 1 },
  mixed: { ...attendant, ...worldly, 'quota-full': 1, 'clock-jumps': 1 },
  foundationdb: { ...attendant, ...worldly, 'quota-full': 1, 'clock-jumps': 1 },
};

/** The run that a seed stands for. */
export function scenario(which: ScenarioName, seed: number): RunPlan {
  const random = seededRandom(seed * 7919 + scenarioNames.indexOf(which));
  const draw = which === 'foundationdb' ? foundationdbDraws(random) : storeDraws(random);
  const happenings = [
    ...Object.entries(deeds[which]).flatMap(([what, count]) =>
      repeat(count, () => drawHappening(what, random, draw.roles)),
    ),
    ...Object.entries(faults[which]).flatMap(([what, most]) => {
      const count = random.next() < 0.5 ? 0 : randomInteger(random, 1, most + 1);
      return repeat(count, () => drawHappening(what, random, draw.roles));
    }),
  ].flat();
  return { seed, nodes: nodeCount, subject: draw.subject(), happenings: happenings.toSorted((a, b) => a.at - b.at) };
}

/** The same run without the happenings that are not named, by their places in the list. */
export const onlyHappenings = (plan: RunPlan, places: readonly number[]): RunPlan => ({
  ...plan,
  happenings: plan.happenings.filter((_, place) => places.includes(place)),
});

const repeat = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

function drawHappening(what: string, random: Random, roles: readonly string[]): Happening[] {
  const at = randomInteger(random, begin, end);
  const lasts = randomInteger(random, 20, 900);
  const node = `n${randomInteger(random, 1, nodeCount + 1)}`;
  switch (what) {
    case 'drain':
      return [{ what, at, lasts: pick(random, [120, 1800, 3600]), nodes: drawNodes(random) }];
    case 'taint':
      return [{ what, at, lasts: pick(random, [60, 1800, 3600]), node, key: taintKey }];
    case 'change':
      return drawChanges(random, at, roles);
    case 'node-dies':
    case 'node-cut-off':
      return [{ what, at, lasts: randomInteger(random, 30, 1800), node }];
    case 'pod-crashes':
    case 'disk-dies':
      return [{ what, at, pick: random.next() }];
    case 'quota-full':
      return [{ what, at, lasts }];
    case 'wire':
      return [{ what, at, lasts, fault: pick(random, wireFaults), rate: pick(random, [0.05, 0.3, 0.8]) }];
    case 'engine':
      return [{ what, at, lasts, fault: pick(random, engineFaults) }];
    case 'clock-jumps':
      return [{ what, at, lasts, by: pick(random, [-600, -30, 30, 600]) }];
    case 'operator-killed':
      return [
        {
          what,
          at,
          lasts: randomInteger(random, 5, 120),
          write: randomInteger(random, 1, 6),
          landed: random.next() < 0.5,
        },
      ];
    default:
      return [];
  }
}

function drawNodes(random: Random): string[] {
  const first = randomInteger(random, 0, nodeCount);
  const second = (first + randomInteger(random, 1, nodeCount)) % nodeCount;
  return (random.next() < 0.5 ? [first] : [first, second]).map((node) => `n${node + 1}`);
}

/** What makes process groups leave is often followed by second thoughts. */
function drawChanges(random: Random, at: number, roles: readonly string[]): Happening[] {
  const change = drawChange(random, roles);
  const begun: Happening = { what: 'change', at, change };
  if ((change.kind !== 'remove' && change.kind !== 'claim-template') || random.next() < 0.5) return [begun];
  const second: Change = { kind: 'cancel', pick: random.next() };
  return [begun, { what: 'change', at: at + randomInteger(random, 10, 300), change: second }];
}

function drawChange(random: Random, roles: readonly string[]): Change {
  const version = randomInteger(random, 2, 100);
  switch (randomInteger(random, 0, 4)) {
    case 0:
      return { kind: 'pod-template', version };
    case 1:
      return { kind: 'claim-template', version };
    case 2: {
      const number = random.next();
      const role = pickOf(roles, (2 * number) % 1) ?? '';
      return { kind: 'count', role, by: number < 0.5 ? 1 : -1 };
    }
    default:
      return { kind: 'remove', pick: random.next() };
  }
}
