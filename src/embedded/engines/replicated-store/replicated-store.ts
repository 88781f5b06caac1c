import type { ProcessId, UnitId } from '../../../model/ids.ts';
import type { Instant } from '../../../model/time.ts';
import { instant } from '../../../model/time.ts';
import type { Topology, Unreachable } from '../../../model/topology.ts';
import type { Answers, DiskId, EngineProcess, ModelEngine, Truth } from '../model-engine.ts';
import { EngineRefusal, EngineSilence } from '../model-engine.ts';
import { partialAnswer } from '../partial-answer.ts';
import { choosePlace } from '../placement.ts';
import { remembered } from '../remembered.ts';
import { beforeItIsNoticed } from '../unnoticed.ts';
import type { StoreJob } from './jobs.ts';
import { Jobs } from './jobs.ts';
import { QuorumLog } from './quorum-log.ts';
import type { Copy, Shard } from './shard.ts';
import { copiesOn, elect, keepShard, leaderOf } from './shard-keeper.ts';
import type { StoreOptions } from './store-options.ts';
import { StoreState } from './store-state.ts';
import { isDrained, isEmpty, storeTopology } from './store-topology.ts';

/**
 * A plain replicated store: shards with a leader and followers, a quorum log, rebuilds, hand-off and evacuation. Verbs take effect at once
 * or throw `EngineRefusal`; with the line to the client cut they throw `EngineSilence` and nothing happens.
 */
export class ReplicatedStore implements ModelEngine {
  readonly #state: StoreState;
  readonly #log: QuorumLog;
  readonly #jobs: Jobs;
  readonly #whole: () => Topology;
  readonly #truth: () => Truth;
  #answers: Answers = 'whole';
  #silentSince: Instant | null = null;
  /** Processes that fell silent and are not missed yet, and what was said before that. */
  readonly #unnoticed = new Set<ProcessId>();
  #before: Topology | undefined;

  constructor(options: StoreOptions) {
    this.#state = new StoreState(options, () => this.#keep());
    this.#log = new QuorumLog(this.#state);
    this.#jobs = new Jobs(this.#state);
    const { clock } = options;
    this.#whole = remembered(
      () =>
        this.#state.movement.size === 0 ? this.#state.happenings : `${this.#state.happenings} at ${clock.monotonic()}`,
      () => storeTopology(this.#state, this.#log),
    );
    this.#truth = remembered(
      () => this.#state.happenings,
      () => this.#findTruth(),
    );
  }

  start(process: EngineProcess): void {
    this.#state.happen(() => {
      this.#state.table.start(process);
      this.#state.agenda.cancel(`await ${process.id}`);
      this.#notice(process.id);
      if (process.role === this.#state.options.quorumRole) this.#log.join(process);
      this.#noteAll(process.id, 'its process started');
    });
  }

  stop(id: ProcessId, noticed?: 'noticed'): void {
    if (noticed === undefined) this.#overlook(id);
    this.#state.happen(() => {
      if (this.#state.table.stop(id)) this.#fallSilent(id, 'its process stopped');
    });
  }

  loseDisk(id: DiskId): void {
    this.#state.happen(() => {
      for (const shard of this.#state.shards) {
        for (const copy of shard.copies) {
          if (copy.disk !== id || copy.destroyed) continue;
          copy.destroyed = true;
          this.#state.note(shard, copy, 'its disk was lost');
        }
      }
      this.#log.destroy(id);
      const user = this.#state.table.userOf(id);
      if (user !== undefined && this.#state.table.stop(user.process.id)) this.#await(user.process.id);
    });
  }

  isolate(id: ProcessId): void {
    this.#state.happen(() => {
      if (this.#state.table.isolate(id, true)) this.#fallSilent(id, 'its process was cut off');
    });
  }

  rejoin(id: ProcessId): void {
    this.#state.happen(() => {
      if (!this.#state.table.isolate(id, false)) return;
      // One that stopped while it was cut off is silent all the same.
      if (!this.#state.table.responds(id)) return;
      this.#notice(id);
      this.#state.agenda.cancel(`await ${id}`);
      this.#noteAll(id, 'its process was heard again');
    });
  }

  answer(how: Answers): void {
    this.#silentSince = how === 'none' ? (this.#silentSince ?? instant(this.#state.options.clock.now())) : null;
    this.#answers = how;
  }

  topology(): Topology | Unreachable {
    if (this.#silentSince !== null) return { unreachable: 'the store does not answer', since: this.#silentSince };
    const whole =
      this.#before === undefined ? this.whole() : beforeItIsNoticed(this.whole(), this.#before, this.#unnoticed);
    return this.#answers === 'partial' ? partialAnswer(whole, this.#state.options.random) : whole;
  }

  whole(): Topology {
    return { ...this.#whole(), observedAt: instant(this.#state.options.clock.now()) };
  }

  truth(): Truth {
    return this.#truth();
  }

  /** New data, on as many processes as the replication factor asks for and as there are. */
  createShard(id: UnitId, bytes: number, labels: Readonly<Record<string, string>> = {}): void {
    const copies: Copy[] = [];
    const zones = new Set<EngineProcess['zone']>();
    for (let count = 0; count < this.#state.options.replicationFactor; count++) {
      const places = this.#state.places().filter(({ process }) => copies.every((copy) => copy.process !== process));
      const place = choosePlace(places, zones, this.#state.options.random);
      if (place === undefined) break;
      zones.add(place.zone);
      const { process, disk } = place;
      copies.push({ process, disk, complete: true, behindSince: null, doomed: false, destroyed: false });
    }
    const [first] = copies;
    if (first === undefined) throw new EngineRefusal(`no process can hold ${id}`);
    const shard: Shard = { id, bytes, labels, leader: first.disk, copies, unplaceable: null };
    this.#state.happen(() => {
      this.#state.shards.push(shard);
      for (const copy of copies) this.#state.note(shard, copy, 'was created');
    });
  }

  /** All that the process leads is led by another one soon; what has no other copy in sync keeps its leader, and the job fails. */
  handOff(id: ProcessId): void {
    this.#ask();
    if (this.#jobs.running('HandOff', id) !== undefined) return;
    this.#jobs.begin('HandOff', id, () => this.#state.agenda.cancel(`hand off ${id}`));
    this.#state.agenda.set(`hand off ${id}`, this.#state.electionTime(), () =>
      this.#state.happen(() => this.#finishHandOff(id)),
    );
  }

  /**
   * The data moves elsewhere, copy by copy, and each old copy goes only when the new one is in sync. A seat in the quorum goes last, to a
   * process that has none. Idempotent. Refused for a process that is not there for data.
   */
  evacuate(id: ProcessId): void {
    this.#ask();
    const role = this.#state.table.get(id)?.process.role;
    if (role !== this.#state.options.dataRole) throw new EngineRefusal(`${id} is no process that holds data`);
    if (this.#state.leaving.has(id)) return;
    this.#state.happen(() => {
      this.#state.leaving.add(id);
      this.#jobs.begin('Evacuate', id, () => this.#state.leaving.delete(id));
    });
  }

  /** What has moved stays moved; what was on its way is left lying about for a while, doomed. */
  cancelEvacuation(id: ProcessId): void {
    this.#ask();
    this.#state.happen(() => {
      this.#jobs.end('Evacuate', id, 'Cancelled');
      this.#state.leaving.delete(id);
    });
  }

  /** The process is no longer part of the store. Refused while it answers and holds a copy that is wanted. */
  forget(id: ProcessId): void {
    this.#ask();
    if (!isEmpty(this.#state, id)) throw new EngineRefusal(`${id} still has copies`);
    this.#state.happen(() => {
      if (this.#state.table.get(id)?.running === true) throw new EngineRefusal(`${id} still runs`);
      this.#log.forget(id);
      this.#state.leaving.delete(id);
      this.#state.table.forget(id);
    });
  }

  jobs(): readonly StoreJob[] {
    this.#ask();
    return this.#jobs.list();
  }

  /** How many bytes all disks hold, remainders included: what conservation is checked by. */
  storedBytes(): number {
    const held = this.#state.shards.map(({ copies, bytes }) => bytes * copies.filter((copy) => !copy.destroyed).length);
    return held.reduce((sum, bytes) => sum + bytes, 0);
  }

  /** For a while it is not missed, unless it is heard of again. */
  #overlook(id: ProcessId): void {
    const { options, table, agenda } = this.#state;
    if (options.noticeDelay === 0 || !table.responds(id)) return;
    if (this.#unnoticed.size === 0) this.#before = this.whole();
    this.#unnoticed.add(id);
    agenda.set(`notice ${id}`, options.noticeDelay, () => this.#notice(id));
  }

  #notice(id: ProcessId): void {
    this.#state.agenda.cancel(`notice ${id}`);
    this.#unnoticed.delete(id);
  }

  #ask(): void {
    if (this.#answers === 'none') throw new EngineSilence('the store does not answer');
  }

  #findTruth(): Truth {
    const { ledger, shards } = this.#state;
    return {
      lost: ledger.losses,
      unavailable: shards
        .filter((shard) => !ledger.isLost(shard.id) && leaderOf(this.#state, shard) === undefined)
        .map(({ id }) => id),
      brokenQuorums: this.#log.broken(),
    };
  }

  #keep(): void {
    this.#log.keep();
    for (const shard of this.#state.shards) keepShard(this.#state, shard);
    for (const id of this.#state.leaving) {
      if (isEmpty(this.#state, id)) this.#log.passOn(id);
      if (isDrained(this.#state, this.#log, id)) this.#jobs.end('Evacuate', id, 'Done');
    }
  }

  #fallSilent(id: ProcessId, what: string): void {
    this.#noteAll(id, what);
    this.#await(id);
  }

  #await(id: ProcessId): void {
    this.#state.agenda.set(`await ${id}`, this.#state.options.rebuildDelay, () => this.#state.happen(() => {}));
  }

  #noteAll(id: ProcessId, what: string): void {
    const disk = this.#state.table.get(id)?.process.disk;
    this.#log.note(id, what);
    for (const shard of this.#state.shards)
      for (const copy of copiesOn(shard, id))
        if (copy.disk === disk && !copy.destroyed) this.#state.note(shard, copy, what);
  }

  #finishHandOff(id: ProcessId): void {
    const stuck: UnitId[] = [];
    for (const shard of this.#state.shards) {
      const leader = leaderOf(this.#state, shard);
      if (leader?.process === id && !elect(this.#state, shard, leader)) stuck.push(shard.id);
    }
    const logStays = this.#log.leader === id && !this.#log.handOff();
    if (stuck.length === 0 && !logStays) return this.#jobs.end('HandOff', id, 'Done');
    const what = [...stuck, ...(logStays ? ['log'] : [])].join(', ');
    this.#jobs.end('HandOff', id, 'Failed', `nobody else is in sync for ${what}`);
  }
}
