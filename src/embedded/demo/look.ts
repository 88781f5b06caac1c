import type { Ask, Grant } from '../../api/v1alpha1/lock.schema.ts';
import type { EpochMillis } from '../../kube/clock.ts';
import { epochMillis } from '../../kube/clock.ts';
import type { NodeView } from '../cluster/node-view.ts';
import { nodesOf, readiness, zoneOf } from '../cluster/node-view.ts';
import type { Chronicle } from './chronicle.ts';
import type { DemoDatabase } from './database.ts';
import type { GroupWatcher } from './look-at-groups.ts';
import type { DatabaseInView, GroupInView, NodeInView, ViewState } from './view-state.ts';
import { byWeight } from './weight-of-waits.ts';
import type { DemoWorld } from './world.ts';

/** What is looked at. */
export interface Looker {
  readonly world: DemoWorld;
  readonly chronicle: Chronicle;
  readonly groups: GroupWatcher;
  readonly speed: number;
}

const { compare } = new Intl.Collator('en', { numeric: true });

/** What there is to see now. */
export function look(
  { world, chronicle, groups, speed }: Looker,
  { act, terminal }: Pick<ViewState, 'act' | 'terminal'>,
  hints: readonly string[],
): ViewState {
  const placed = groups.look(world);
  const zones = Map.groupBy(nodesOf(world.cluster.world), zoneOf);
  return {
    time: clockText(world.clock.now()),
    speed,
    hints,
    act,
    terminal,
    zones: [...zones]
      .toSorted(([a], [b]) => compare(a, b))
      .map(([name, nodes]) => ({
        name,
        nodes: nodes.toSorted((a, b) => compare(a.name, b.name)).map((node) => nodeInView(node, placed)),
      })),
    unplaced: placed.get('') ?? [],
    databases: world.databases.map((database) => databaseInView(database, chronicle)),
  };
}

/** `2026-11-08 09:14:15` */
const clockText = (now: EpochMillis): string => new Date(now).toISOString().slice(0, 19).replace('T', ' ');

/** `09:14:15` */
export const timeOfDay = (now: EpochMillis): string => new Date(now).toISOString().slice(11, 19);

function nodeInView(node: NodeView, placed: ReadonlyMap<string, readonly GroupInView[]>): NodeInView {
  const own = 'node.kubernetes.io/';
  return {
    name: node.name,
    marks: [
      ...(readiness(node) === 'True' ? [] : ['dead']),
      ...(node.unschedulable ? ['cordoned'] : []),
      // Kubernetes' own taints repeat what the other two say.
      ...node.taints.filter(({ key }) => !key.startsWith(own)).map(({ key }) => `tainted ${key}`),
    ],
    groups: placed.get(node.name) ?? [],
  };
}

function databaseInView(database: DemoDatabase, chronicle: Chronicle): DatabaseInView {
  const { name, plan } = database;
  const { processGroups, asks, grants } = database.status();
  const waits = processGroups.flatMap(({ waitingFor }) => waitingFor).toSorted((a, b) => byWeight(a.code, b.code));
  return {
    name,
    says: plan.says,
    asks: [
      ...grants.filter(({ goneAt, closedAt }) => goneAt === null && closedAt === null).map(grantText),
      ...asks.filter(({ letGoAt, times }) => letGoAt === null && times > 0).map(askText),
    ],
    waits: [...new Set(waits.map(({ message }) => message))],
    done: chronicle
      .done(name)
      .map(({ at, text }) => `${timeOfDay(at)} ${text}`)
      .toReversed(),
  };
}

const askText = ({ pod, by, since, times }: Ask): string =>
  `${by} wants ${pod} gone, since ${timeOfDay(epochMillis(Date.parse(since)))}; asked ${times === 1 ? 'once' : `${times} times`}`;

const grantText = ({ pod, askedBy }: Grant): string => `${pod} may go now: ${askedBy} asked, and every rule agrees`;
