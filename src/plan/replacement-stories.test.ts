import { describe, expect, test } from 'vitest';
import type { ClusterSpec } from '../model/cluster-spec.ts';
import type { Node } from '../model/node.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Snapshot } from '../model/snapshot.ts';
import {
  at,
  givenGroup,
  givenNode,
  givenPod,
  givenProcess,
  givenRole,
  givenSnapshot,
  givenSpec,
  givenTopology,
} from '../model/testing/given.ts';
import { seconds } from '../model/time.ts';
import { surveyOf } from '../rules/survey.ts';
import { applyRecords } from './apply-records.ts';
import { cancelReplacements } from './cancel.ts';
import { grow } from './grow.ts';
import { observeConditions } from './observe-conditions.ts';
import { removeRequested } from './remove-requested.ts';
import { replaceAsked } from './replace-asked.ts';
import { replaceFailed } from './replace-failed.ts';
import { replaceMisconfigured } from './replace-misconfigured.ts';
import { shrink } from './shrink.ts';
import { observeTaints } from './taints.ts';
import { ids } from './testing/cluster.ts';

const plan = [
  observeConditions,
  observeTaints,
  cancelReplacements,
  removeRequested,
  replaceMisconfigured,
  replaceFailed,
  replaceAsked,
  shrink,
  grow,
];
const never = 'never' as const;

/** A cluster whose clock is wound by hand: at each moment everything is recorded that there is to record. */
class World {
  snapshot: Snapshot;

  constructor(spec: Partial<ClusterSpec>, groups: readonly string[] = ['storage-1', 'storage-2', 'storage-3']) {
    this.snapshot = givenSnapshot({
      spec: givenSpec({ roles: [givenRole('storage', { count: groups.length })], ...spec }),
      processGroups: groups.map((id) => givenGroup(id, { pod: givenPod(id, { node: `node-${id}` }) })),
      nodes: groups.map((id) => givenNode(`node-${id}`)),
      topology: givenTopology({ processes: groups.map((id) => givenProcess(id)) }),
      nextGroupNumber: 10,
    });
  }

  at(time: number): this {
    return this.change({ now: at(time) });
  }

  change(given: Partial<Snapshot>): this {
    this.snapshot = { ...this.snapshot, ...given };
    for (const step of plan) this.snapshot = applyRecords(this.snapshot, step(surveyOf(this.snapshot)).records);
    return this;
  }

  spec(given: Partial<ClusterSpec>): this {
    return this.change({ spec: { ...this.snapshot.spec, ...given } });
  }

  taint(id: string, ...keys: readonly string[]): this {
    const taints: Node['taints'] = keys.map((key) => ({ key, effect: 'NoSchedule', timeAdded: null }));
    const nodes = (this.snapshot.nodes ?? []).map((node) => (node.name === `node-${id}` ? { ...node, taints } : node));
    return this.change({ nodes });
  }

  kill(...groups: readonly string[]): this {
    const { topology } = this.snapshot;
    if (!('processes' in topology)) return this;
    const processes = topology.processes.filter(({ id }) => !groups.includes(id));
    return this.change({ topology: { ...topology, processes } });
  }

  group(id: string): ProcessGroup {
    const group = this.snapshot.processGroups.find((one) => one.id === id);
    if (group === undefined) throw new Error(`there is no ${id}`);
    return group;
  }

  /** The conditions of one, and why it leaves. */
  state(id: string): string {
    const { conditions, removal } = this.group(id);
    const types = conditions.map(({ type }) => type).sort();
    return [...types, ...(removal === null ? [] : [`marked ${removal.cause}`])].join(', ');
  }

  get marked(): readonly string[] {
    return this.snapshot.processGroups.filter(({ removal }) => removal !== null).map(({ id }) => id);
  }
}

const taints = (taints: ClusterSpec['replacements']['taints'], taintReplacementTime = 1800) => ({
  replacements: { ...givenSpec().replacements, taints, taintReplacementTime: seconds(taintReplacementTime) },
});
const key = 'example.com/maintenance';

describe('the three setups of the manual', () => {
  test('1: a node that is tainted for 3600 s is replaced 1800 s later', () => {
    const world = new World(taints([{ key, duration: seconds(3600) }])).taint('storage-1', key);
    expect(world.state('storage-1')).toBe('NodeTaintDetected');
    expect(world.at(3599).state('storage-1')).toBe('NodeTaintDetected');
    expect(world.at(3600).state('storage-1')).toBe('NodeTaintDetected, NodeTaintReplacing');
    expect(world.at(5399).state('storage-1')).toBe('NodeTaintDetected, NodeTaintReplacing');
    expect(world.at(5400).state('storage-1')).toBe('NodeTaintDetected, NodeTaintReplacing, marked Tainted');
    expect(world.state('storage-10')).toBe('MissingPVC, MissingPod, MissingProcesses');
  });

  test('2: every key but one that is ignored, which is detected only', () => {
    const options = [
      { key: '*', duration: seconds(3600) },
      { key: 'example.com/taint-key-to-ignore', duration: never },
    ];
    const world = new World(taints(options)).taint('storage-1', 'example.com/taint-key-to-ignore');
    expect(world.at(1_000_000).state('storage-1')).toBe('NodeTaintDetected');
    world.taint('storage-1', 'example.com/taint-key-to-ignore', 'example.com/any-other-key');
    expect(world.at(1_003_599).state('storage-1')).toBe('NodeTaintDetected');
    expect(world.at(1_003_600).state('storage-1')).toBe('NodeTaintDetected, NodeTaintReplacing');
  });

  test('3: without options nothing is detected, and what was is forgotten', () => {
    const world = new World(taints([{ key, duration: seconds(3600) }])).taint('storage-1', key).at(3600);
    expect(world.spec(taints([])).state('storage-1')).toBe('');
    expect(world.at(9999).marked).toEqual([]);
  });
});

test('1200 s to be marked for replacement and 1800 s to be replaced make 3000 s', () => {
  const options = [
    { key: 'example.org/maintenance', duration: seconds(7200) },
    { key: 'example.org/disconnected', duration: seconds(1200) },
    { key: '*', duration: seconds(3600) },
  ];
  const world = new World(taints(options)).taint('storage-1', 'example.org/disconnected', 'example.org/maintenance');
  expect(world.at(1199).state('storage-1')).toBe('NodeTaintDetected');
  expect(world.at(1200).state('storage-1')).toBe('NodeTaintDetected, NodeTaintReplacing');
  expect(world.at(2999).marked).toEqual([]);
  expect(world.at(3000).marked).toEqual(['storage-1']);
});

test('a replacement that is to come is not stopped by taking the taint away', () => {
  const world = new World(taints([{ key, duration: seconds(3600) }]))
    .taint('storage-1', key)
    .at(3600)
    .taint('storage-1');
  expect(world.state('storage-1')).toBe('NodeTaintReplacing');
  expect(world.at(5400).state('storage-1')).toBe('NodeTaintReplacing, marked Tainted');
});

test('tainted nodes are replaced one at a time', () => {
  const world = new World(taints([{ key, duration: seconds(60) }])).taint('storage-1', key).taint('storage-2', key);
  expect(world.at(60).at(1860).marked).toEqual(['storage-1']);
  expect(world.at(9000).marked).toEqual(['storage-1']);
  world.change({
    processGroups: world.snapshot.processGroups.map((group) =>
      group.id === 'storage-1' ? { ...group, drainedAt: at(9000) } : group,
    ),
  });
  expect(world.marked).toEqual(['storage-1', 'storage-2']);
});

test('a cancel returns the cluster to where it was, and the clocks start anew when it is over', () => {
  const world = new World(taints([{ key, duration: seconds(3600) }])).taint('storage-1', key).at(3600).at(5400);
  expect(world.marked).toEqual(['storage-1']);
  world.spec({ cancelReplacements: ids('storage-1') });
  expect(world.state('storage-1')).toBe('NodeTaintDetected');
  // The successor that is no longer needed is the one that goes.
  expect(world.state('storage-10')).toBe('MissingPVC, MissingPod, MissingProcesses, marked Shrink');
  expect(world.at(20_000).state('storage-1')).toBe('NodeTaintDetected');
  world.spec({ cancelReplacements: [] });
  expect(world.at(23_599).state('storage-1')).toBe('NodeTaintDetected');
  expect(world.at(23_600).state('storage-1')).toBe('NodeTaintDetected, NodeTaintReplacing');
});

describe('a process that is missing', () => {
  test('is replaced after 7200 s, one at a time, while no replacement is asked of the others', () => {
    const world = new World({}).kill('storage-1', 'storage-2');
    expect(world.state('storage-1')).toBe('MissingProcesses');
    expect(world.at(7199).marked).toEqual([]);
    expect(world.at(7200).marked).toEqual(['storage-1']);
    expect(world.at(99_999).marked).toEqual(['storage-1']);
  });

  test('is not replaced when it was back in between: the time starts again', () => {
    const world = new World({}).kill('storage-1').at(7000);
    world.change({
      topology: givenTopology({ processes: ['storage-1', 'storage-2', 'storage-3'].map((id) => givenProcess(id)) }),
    });
    expect(world.state('storage-1')).toBe('');
    expect(world.at(7100).kill('storage-1').at(14_299).marked).toEqual([]);
    expect(world.at(14_300).marked).toEqual(['storage-1']);
  });

  test('is not replaced by default', () => {
    const world = new World({ replacements: { ...givenSpec().replacements, enabled: false } }).kill('storage-1');
    expect(world.at(99_999).marked).toEqual([]);
  });

  test('is replaced at once when a person lists it, and the others wait for it', () => {
    const world = new World({}).kill('storage-1', 'storage-2').spec({ processGroupsToRemove: ids('storage-2') });
    expect(world.marked).toEqual(['storage-2']);
    expect(world.at(7200).marked).toEqual(['storage-2']);
  });
});

test('flagging one and lowering the count removes that one and adds nothing', () => {
  const world = new World({}).spec({
    processGroupsToRemove: ids('storage-2'),
    roles: [givenRole('storage', { count: 2 })],
  });
  expect(world.marked).toEqual(['storage-2']);
  expect(world.snapshot.processGroups.map(({ id }) => id)).toEqual(['storage-1', 'storage-2', 'storage-3']);
});
