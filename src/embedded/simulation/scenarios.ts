import type { Random } from '../../kube/random.ts';
import { randomInteger, seededRandom } from '../../kube/random.ts';
import type { CorePlan } from './core-subject.ts';
import { coreDraws } from './draw-core.ts';
import { foundationdbDraws } from './draw-foundationdb.ts';
import { storeDraws } from './draw-store.ts';
import type { FoundationDBPlan } from './foundationdb-subject.ts';
import type { Change, DrainWay, Happening } from './happenings.ts';
import { breakages, drainWays, engineFaults, patience, reshapings, wireFaults } from './happenings.ts';
import { pick, pickOf } from './pick.ts';
import type { StorePlan } from './store-subject.ts';
import { taintKey } from './taint-key.ts';

/** What a simulation plays. `core`: the pure core alone, at volume. All others: the operator's own controllers, lock, webhook and engine adapter. */
export const scenarioNames = ['core', 'drains', 'failures', 'upgrades', 'mixed', 'foundationdb'] as const;
export type ScenarioName = (typeof scenarioNames)[number];

/** What a story is made of, whoever it happens to. */
const stories = ['drains', 'failures', 'upgrades', 'mixed'] as const;
type Story = (typeof stories)[number];

/** A run with the controllers takes several times as long as one of the core alone: one of each in 100 leaves time for both. */
const operated: readonly ScenarioName[] = ['foundationdb', 'drains', 'failures', 'upgrades', 'mixed'];
const every = 100;

/** What a seed plays where all scenarios are wanted: so that a seed alone still says what is played. */
export const dealt = (seed: number): ScenarioName => operated[seed % every] ?? 'core';

/** All that a run depends on. */
export interface RunPlan {
  readonly seed: number;
  readonly nodes: number;
  readonly subject: CorePlan | StorePlan | FoundationDBPlan;
  readonly happenings: readonly Happening[];
}

type Kind = Happening['what'];
type Often = Partial<Record<Kind, number>>;

/** Where and when a story is set. */
interface Setting {
  readonly nodes: number;
  /** When everything has come up and something may happen, and from when on nothing new does. In seconds. */
  readonly begin: number;
  readonly end: number;
  /** How long people drain, and faults last at most. In seconds. */
  readonly drainsLast: readonly number[];
  readonly faultsLast: number;
  readonly drainWays: readonly DrainWay[];
  readonly lastDrainEnds: boolean;
  /** How often at most the ways to the API server, to the engine and to the webhook, and the operator itself fail. */
  readonly attendant: Often;
  readonly changes: readonly DrawnChange[];
}

/** What people change out of the blue. A cancel is a second thought, and what they get wrong they put right again. */
type DrawnChange = Exclude<Change['kind'], 'cancel' | 'broken-template' | 'no-place'>;
const ordinary = ['pod-template', 'claim-template', 'count', 'remove'] as const;

const long: Setting = {
  nodes: 9,
  begin: 600,
  end: 2 * 3600,
  drainsLast: [120, 1800, 3600],
  faultsLast: 1800,
  drainWays: ['asked'],
  lastDrainEnds: false,
  attendant: { wire: 5, engine: 3, 'operator-killed': 3 },
  changes: ordinary,
};
/** Long enough for two or three things to meet, and no longer: time costs a round of every controller every few seconds. */
const short: Setting = {
  nodes: 7,
  begin: 400,
  end: 2000,
  drainsLast: [60, 300, 1200],
  faultsLast: 600,
  drainWays,
  lastDrainEnds: true,
  attendant: { wire: 3, engine: 2, 'operator-killed': 3, 'webhook-cut-off': 1 },
  changes: ordinary,
};
const settings: { readonly [name in ScenarioName]: Setting } = {
  core: { ...long, begin: 400, end: 1800, drainsLast: [120, 600, 1200], faultsLast: 900 },
  // Close together, so that people get in each other's way.
  drains: { ...short, end: 1200 },
  failures: short,
  upgrades: short,
  mixed: short,
  foundationdb: {
    ...long,
    end: 2700,
    drainsLast: [120, 900],
    faultsLast: 1200,
    drainWays: ['kubectl'],
    changes: [...ordinary, 'reshape'],
  },
};

/** What people do in a story, and how often. */
const deeds: { readonly [name in Story | 'foundationdb']: Often } = {
  drains: { drain: 3 },
  failures: { drain: 2 },
  upgrades: { change: 4, drain: 1 },
  mixed: { drain: 2, change: 2, taint: 1 },
  foundationdb: { drain: 1, change: 3, taint: 1 },
};

/** What else may go wrong in a story, and how often at most. Each run has some of them only: faults that always come together hide each other. */
const worldly = { 'node-dies': 2, 'node-cut-off': 1, 'pod-crashes': 2, 'disk-dies': 1 } as const;
const faults: { readonly [name in Story | 'foundationdb']: Often } = {
  drains: {},
  failures: worldly,
  upgrades: { 'quota-full': 1, 'clock-jumps': 1 },
  mixed: { ...worldly, 'quota-full': 1, 'clock-jumps': 1 },
  foundationdb: { ...worldly, 'quota-full': 1, 'clock-jumps': 1 },
};
/** What people get wrong about pods that the operator makes. The core's stand-in makes pods that have nothing in them to get wrong. */
const mistakes: Often = { 'broken-upgrade': 1, 'no-place': 1 };
const mistaken: ReadonlySet<ScenarioName> = new Set(['upgrades', 'mixed', 'foundationdb']);

/** The run that a seed stands for. */
export function scenario(which: ScenarioName, seed: number): RunPlan {
  const random = seededRandom(seed * 7919 + scenarioNames.indexOf(which));
  const story = which === 'core' ? (stories[seed % stories.length] ?? 'mixed') : which;
  const setting = settings[which];
  const draw = drawsOf(which, random);
  const happenings = [
    ...Object.entries(deeds[story]).flatMap(([what, count]) =>
      repeat(count, () => drawHappening(what, random, draw.roles, setting)),
    ),
    ...Object.entries({ ...setting.attendant, ...faults[story], ...(mistaken.has(which) && mistakes) }).flatMap(
      ([what, most]) => {
        const count = random.next() < 0.5 ? 0 : randomInteger(random, 1, most + 1);
        return repeat(count, () => drawHappening(what, random, draw.roles, setting));
      },
    ),
  ].flat();
  const { nodes, lastDrainEnds } = setting;
  const inOrder = happenings.toSorted((a, b) => a.at - b.at);
  return { seed, nodes, subject: draw.subject(), happenings: lastDrainEnds ? withPatience(inOrder) : inOrder };
}

/** Whoever drains last has one node, and does not give up: once nothing else happens any more, his drain has to end. */
function withPatience(happenings: readonly Happening[]): readonly Happening[] {
  const last = happenings.findLastIndex(({ what }) => what === 'drain');
  return happenings.map((happening, place) =>
    place === last && happening.what === 'drain'
      ? { ...happening, nodes: happening.nodes.slice(0, 1), lasts: patience }
      : happening,
  );
}

/** The happenings are drawn between the roles and the subject: an order that every seed depends on. */
interface Draws {
  readonly roles: readonly string[];
  readonly subject: () => RunPlan['subject'];
}

function drawsOf(which: ScenarioName, random: Random): Draws {
  if (which === 'core') return coreDraws(random);
  return which === 'foundationdb' ? foundationdbDraws(random) : storeDraws(random, which);
}

/** The same run without the happenings that are not named, by their places in the list. */
export const onlyHappenings = (plan: RunPlan, places: readonly number[]): RunPlan => ({
  ...plan,
  happenings: plan.happenings.filter((_, place) => places.includes(place)),
});

const repeat = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

function drawHappening(what: string, random: Random, roles: readonly string[], setting: Setting): Happening[] {
  const { begin, end, nodes, drainsLast, faultsLast } = setting;
  const at = randomInteger(random, begin, end);
  const lasts = randomInteger(random, 20, faultsLast / 2);
  const node = `n${randomInteger(random, 1, nodes + 1)}`;
  switch (what) {
    case 'drain':
      return [
        {
          what,
          at,
          lasts: pick(random, drainsLast),
          nodes: drawNodes(random, nodes),
          how: pick(random, setting.drainWays),
        },
      ];
    case 'taint':
      return [{ what, at, lasts: pick(random, drainsLast), node, key: taintKey }];
    case 'change':
      return drawChanges(random, at, roles, setting.changes);
    case 'node-dies':
    case 'node-cut-off':
      return [{ what, at, lasts: randomInteger(random, 30, faultsLast), node }];
    case 'pod-crashes':
    case 'disk-dies':
      return [{ what, at, pick: random.next() }];
    case 'quota-full':
    case 'webhook-cut-off':
      return [{ what, at, lasts }];
    case 'no-place':
      return [{ what, at, lasts, pick: random.next() }];
    case 'broken-upgrade':
      return [{ what, at, lasts, version: randomInteger(random, 2, 100), how: pick(random, breakages) }];
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

function drawNodes(random: Random, nodeCount: number): string[] {
  const first = randomInteger(random, 0, nodeCount);
  const second = (first + randomInteger(random, 1, nodeCount)) % nodeCount;
  return (random.next() < 0.5 ? [first] : [first, second]).map((node) => `n${node + 1}`);
}

/** What makes process groups leave is often followed by second thoughts. */
function drawChanges(
  random: Random,
  at: number,
  roles: readonly string[],
  changes: readonly DrawnChange[],
): Happening[] {
  const change = drawChange(random, roles, changes);
  const begun: Happening = { what: 'change', at, change };
  if (change.kind === 'pod-template' || change.kind === 'count' || random.next() < 0.5) return [begun];
  const second: Change = { kind: 'cancel', pick: random.next() };
  return [begun, { what: 'change', at: at + randomInteger(random, 10, 300), change: second }];
}

function drawChange(random: Random, roles: readonly string[], changes: readonly DrawnChange[]): Change {
  const version = randomInteger(random, 2, 100);
  const kind = pick(random, changes);
  switch (kind) {
    case 'pod-template':
    case 'claim-template':
      return { kind, version };
    case 'reshape':
      return { kind, what: pick(random, reshapings), version };
    case 'count': {
      const number = random.next();
      const role = pickOf(roles, (2 * number) % 1) ?? '';
      return { kind, role, by: number < 0.5 ? 1 : -1 };
    }
    case 'remove':
      return { kind, pick: random.next() };
  }
}
