import { podsOf } from '../cluster/pod-view.ts';
import { beginDrain } from './begin-drain.ts';
import type { Happening } from './happenings.ts';
import { mayStrike } from './may-strike.ts';
import type { Ongoing } from './ongoing.ts';
import { fillQuota, freeQuota, podsOn, taint, untaint } from './people.ts';
import { namespace } from './subject.ts';
import { processesOf } from './survives.ts';
import type { SimulatedWorld } from './world.ts';

/** It struck, or must wait for a better moment. */
export type Begun = Ongoing | 'over' | 'not-now';

/** Begins something that happens. A blow that the world must not deal just now waits. */
export async function begin(world: SimulatedWorld, happening: Happening): Promise<Begun> {
  const { cluster, operator, subject } = world;
  switch (happening.what) {
    case 'drain':
      return beginDrain(world, happening);
    case 'taint':
      await taint(world, happening.node, happening.key);
      return { end: () => untaint(world, happening.node, happening.key) };
    case 'change':
      await subject.change(happening.change);
      return 'over';
    case 'broken-upgrade':
      await subject.change({ ...happening, kind: 'broken-template' });
      return { end: () => subject.change({ kind: 'pod-template', version: happening.version }) };
    case 'no-place':
      await subject.change({ ...happening, kind: 'no-place' });
      return { end: () => subject.change({ kind: 'no-place', pick: null }) };
    case 'node-dies':
    case 'node-cut-off': {
      const { node, what } = happening;
      if (cluster.nodeState(node) !== 'alive' || !mayStrike(world, namesOn(world, node))) return 'not-now';
      if (what === 'node-cut-off') return cutOff(world, node);
      cluster.killNode(node);
      return { end: () => cluster.reviveNode(node) };
    }
    case 'pod-crashes':
    case 'disk-dies': {
      const pods = [...podsOf(cluster.world, namespace)].filter(({ nodeName }) => nodeName !== '');
      const victim = pods[Math.floor(happening.pick * pods.length)];
      if (victim === undefined || !mayStrike(world, [victim.name])) return 'not-now';
      if (happening.what === 'pod-crashes') cluster.crashPod(namespace, victim.name);
      else for (const disk of disksOf(world, victim.name)) cluster.loseDisk(disk);
      return 'over';
    }
    case 'quota-full':
      await fillQuota(world);
      return { end: () => freeQuota(world) };
    case 'wire':
      operator.wire.set(happening.fault, happening.rate);
      return { end: () => void operator.wire.delete(happening.fault) };
    case 'engine': {
      const { fault } = happening;
      operator.engineFaults.add(fault);
      if (fault === 'silent') subject.model.answer('none');
      if (fault === 'partial') subject.model.answer('partial');
      return {
        end() {
          operator.engineFaults.delete(fault);
          if (fault === 'silent' || fault === 'partial') subject.model.answer('whole');
        },
      };
    }
    case 'clock-jumps':
      world.moveClock(happening.by);
      return { end: () => world.moveClock(0) };
    case 'webhook-cut-off':
      world.webhookIsReachable = false;
      return {
        end() {
          world.webhookIsReachable = true;
        },
      };
    case 'operator-killed':
      operator.killAt(happening.write, happening.landed, happening.lasts);
      return 'over';
  }
}

const namesOn = (world: SimulatedWorld, node: string): string[] => podsOn(world, node).map(({ name }) => name);

const disksOf = ({ cluster }: SimulatedWorld, pod: string): readonly string[] =>
  cluster.processes().find((process) => process.name === pod)?.disks ?? [];

/** Neither the API server nor the engine hears of it, and its processes go on. */
function cutOff({ cluster, subject }: SimulatedWorld, node: string): Ongoing {
  const pods = cluster.processes().filter((process) => process.node === node);
  const groups = new Set(pods.map((pod) => subject.groupOf('pod', pod.name) ?? ''));
  const isolated = processesOf(subject.model.whole(), groups);
  cluster.isolateNode(node);
  for (const process of isolated) subject.model.isolate(process);
  return {
    end() {
      for (const process of isolated) subject.model.rejoin(process);
      cluster.reviveNode(node);
    },
  };
}
