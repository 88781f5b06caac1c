import { millis, minutes, seconds } from '../../../../kube/clock.ts';
import { seededRandom } from '../../../../kube/random.ts';
import { VirtualClock } from '../../../../kube/testing/virtual-clock.ts';
import type { ProcessId, UnitId } from '../../../../model/ids.ts';
import { name } from '../../../../model/ids.ts';
import type { Topology } from '../../../../model/topology.ts';
import { isUnreachable } from '../../../../model/topology.ts';
import type { EngineProcess, Truth } from '../../model-engine.ts';
import { givenProcess } from '../../testing/given-process.ts';
import type { StoreJob } from '../jobs.ts';
import { ReplicatedStore } from '../replicated-store.ts';
import type { StoreOptions } from '../store-options.ts';
import { storeOptions } from '../store-options.ts';

export const mebibyte = 1024 * 1024;

/** Six data processes in three zones, three members of the log, shards of 600 MiB that move in 60 s, rebuilt after ten minutes. */
export interface GivenStore extends Partial<StoreOptions> {
  readonly seed?: number;
  readonly shards?: number;
  readonly processes?: number;
}

/** A running store on a clock of its own, told what happens in the words of the tests. */
export class StoreWorld {
  readonly clock = new VirtualClock();
  readonly store: ReplicatedStore;

  constructor({ seed = 1, shards = 3, processes = 6, ...given }: GivenStore = {}) {
    this.store = new ReplicatedStore(
      storeOptions({ clock: this.clock, random: seededRandom(seed), bytesPerSecond: 10 * mebibyte, ...given }),
    );
    for (let number = 1; number <= 3; number++) this.store.start(givenProcess(`agent-${number}`));
    for (let number = 1; number <= processes; number++) this.store.start(dbserver(number));
    for (let number = 1; number <= shards; number++) this.store.createShard(name(`s${number}`), 600 * mebibyte);
  }

  id(process: string): ProcessId {
    return name(process);
  }

  stop(...processes: readonly string[]): void {
    for (const process of processes) this.store.stop(this.id(process));
  }

  start(process: string, disk?: string): void {
    const number = Number(process.replace(/\D/g, ''));
    const as = process.startsWith('agent') ? givenProcess(process) : dbserver(number);
    this.store.start(disk === undefined ? as : { ...as, disk: name(disk) });
  }

  loseDisk(process: string): void {
    this.store.loseDisk(name(`disk-${process}`));
  }

  passSeconds(count: number): Promise<void> {
    return this.clock.pass(seconds(count));
  }

  passMinutes(count: number): Promise<void> {
    return this.clock.pass(minutes(count));
  }

  passMillis(count: number): Promise<void> {
    return this.clock.pass(millis(count));
  }

  topology(): Topology {
    const view = this.store.topology();
    if (isUnreachable(view)) throw new Error(view.unreachable);
    return view;
  }

  truth(): Truth {
    return this.store.truth();
  }

  /** `db-1 leads`, `db-2`, `db-3 behind`: the copies of a shard as the store tells of them, sorted. */
  copies(shard: string): readonly string[] {
    const unit = this.topology().units.find(({ id }) => id === name<UnitId>(shard));
    return (unit?.replicas ?? [])
      .map(({ process, leader, state, inSync, doomed }) =>
        [
          process,
          leader ? 'leads' : '',
          doomed ? 'doomed' : '',
          state === 'healthy' ? (inSync === true ? '' : 'behind') : state,
        ]
          .filter((word) => word !== '')
          .join(' '),
      )
      .sort();
  }

  /** The processes that have a copy of the shard that is in sync; the leader first. */
  inSync(shard: string): readonly string[] {
    const unit = this.topology().units.find(({ id }) => id === name<UnitId>(shard));
    return (unit?.replicas ?? [])
      .filter(({ inSync, state }) => inSync === true && state === 'healthy')
      .sort((a, b) => Number(b.leader) - Number(a.leader))
      .map(({ process }) => process);
  }

  jobs(): readonly Pick<StoreJob, 'verb' | 'process' | 'state'>[] {
    return this.store.jobs().map(({ verb, process, state }) => ({ verb, process, state }));
  }
}

/** Two data processes a zone: db-1 and db-4 share zone-1. */
export function dbserver(number: number): EngineProcess {
  return givenProcess(`db-${number}`, { role: 'dbserver', zone: `zone-${((number - 1) % 3) + 1}` });
}

export function second<T>([, value]: readonly T[]): T {
  if (value === undefined) throw new Error('there is no second one');
  return value;
}

export function first<T>([value]: readonly T[]): T {
  if (value === undefined) throw new Error('there is none');
  return value;
}
