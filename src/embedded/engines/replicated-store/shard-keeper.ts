import { millis } from '../../../kube/clock.ts';
import type { ProcessId } from '../../../model/ids.ts';
import { choosePlace } from '../placement.ts';
import type { Copy, Shard } from './shard.ts';
import { isUpToDate, survives, transferOf } from './shard.ts';
import type { StoreState } from './store-state.ts';

/** A write or two are always in flight, however short a copy was away. */
const leastCatchUpBytes = 64 * 1024;

/**
 * Brings one shard to where it should be, after anything happened: a leader that answers, copies that catch up, copies made anew, and
 * copies dropped that are not needed any more, in that order. Idempotent: without a change it changes nothing.
 */
export function keepShard(state: StoreState, shard: Shard): void {
  if (state.ledger.isLost(shard.id)) return;
  if (isCalm(state, shard)) {
    shard.unplaceable = null;
    return state.agenda.cancel(`elect ${shard.id}`);
  }
  dropWhatIsKnownToBeGone(state, shard);
  if (!survives(shard)) return loseShard(state, shard);
  keepLeader(state, shard);
  write(state, shard);
  // Writes may just have overtaken a copy on a disk that its process does not use any more.
  dropWhatIsKnownToBeGone(state, shard);
  catchUp(state, shard);
  rebuild(state, shard);
  trim(state, shard);
}

/** Nearly every shard, nearly always: it is led, and all its copies are in sync where they should be, so there is nothing to do. */
function isCalm(state: StoreState, { copies, leader }: Shard): boolean {
  if (copies.length !== state.options.replicationFactor || !copies.some(({ disk }) => disk === leader)) return false;
  return copies.every(
    (copy) => isUpToDate(copy) && !copy.doomed && !state.leaving.has(copy.process) && state.isAttached(copy),
  );
}

/** The process came back without the disk, and told so. */
function dropWhatIsKnownToBeGone(state: StoreState, shard: Shard): void {
  for (const copy of shard.copies) {
    const server = state.table.get(copy.process);
    const returned = state.table.responds(copy.process) && server?.process.disk !== copy.disk;
    const emptied = copy.destroyed && state.table.responds(copy.process);
    // A copy that is up to date on a disk that merely is not mounted now stays in the books: the disk can come back.
    if (emptied || (returned && !isUpToDate(copy))) drop(state, shard, copy, 'its process came back without it');
  }
}

function loseShard(state: StoreState, shard: Shard): void {
  for (const copy of shard.copies) state.movement.abort(transferOf(shard, copy));
  state.agenda.cancel(`elect ${shard.id}`);
  shard.leader = null;
  state.ledger.lose(shard.id);
}

/** The copies that can take part in a write now. */
export function servingCopies(state: StoreState, shard: Shard): readonly Copy[] {
  return shard.copies.filter((copy) => isServing(state, copy));
}

const isServing = (state: StoreState, copy: Copy): boolean =>
  isUpToDate(copy) && !copy.doomed && state.isAttached(copy);

export function leaderOf(state: StoreState, shard: Shard): Copy | undefined {
  return shard.copies.find((copy) => copy.disk === shard.leader && isServing(state, copy));
}

function keepLeader(state: StoreState, shard: Shard): void {
  const election = `elect ${shard.id}`;
  if (leaderOf(state, shard) !== undefined || servingCopies(state, shard).length === 0) state.agenda.cancel(election);
  else if (!state.agenda.has(election))
    state.agenda.set(election, state.electionTime(), () => state.happen(() => elect(state, shard)));
}

/** The next leader: one that is to stay, if there is one. */
export function elect(state: StoreState, shard: Shard, instead?: Copy): boolean {
  const candidates = servingCopies(state, shard).filter((copy) => copy !== instead);
  const staying = candidates.filter(({ process }) => !state.leaving.has(process));
  const chosen = state.pick(staying.length > 0 ? staying : candidates);
  if (chosen === undefined) return false;
  shard.leader = chosen.disk;
  state.note(shard, chosen, 'became the leader');
  return true;
}

/** Writes go on all the time, so whoever misses them is behind at once. Without enough copies nothing is written, and nobody is. */
function write(state: StoreState, shard: Shard): void {
  const serving = servingCopies(state, shard);
  if (leaderOf(state, shard) === undefined || serving.length < state.options.writeConcern) return;
  for (const copy of shard.copies) {
    if (!isUpToDate(copy) || serving.includes(copy)) continue;
    copy.behindSince = state.options.clock.monotonic();
    state.note(shard, copy, 'fell behind: writes went on without it');
  }
}

function catchUp(state: StoreState, shard: Shard): void {
  const leader = leaderOf(state, shard);
  for (const copy of shard.copies) {
    const key = transferOf(shard, copy);
    const under = state.movement.get(key);
    const possible = leader !== undefined && leader !== copy && state.isAttached(copy) && !copy.doomed;
    if (under !== undefined && (!possible || under.from !== leader.process)) state.movement.abort(key);
    if (!possible || isUpToDate(copy)) continue;
    const bytes = copy.complete ? bytesBehind(state, shard, copy) : shard.bytes;
    state.movement.begin({ key, from: leader.process, to: copy.process, bytes }, () =>
      state.happen(() => arrive(state, shard, copy)),
    );
  }
}

function bytesBehind({ options }: StoreState, { bytes }: Shard, { behindSince }: Copy): number {
  const behind = ((options.clock.monotonic() - (behindSince ?? options.clock.monotonic())) / 1000) | 0;
  return Math.min(bytes, Math.max(leastCatchUpBytes, behind * options.writtenBytesPerSecond));
}

function arrive(state: StoreState, shard: Shard, copy: Copy): void {
  state.note(shard, copy, copy.complete ? 'caught up' : 'was made');
  copy.complete = true;
  copy.behindSince = null;
}

/** Copies that count towards the replication factor: what stays, answers or was heard of lately, and is not to be deleted. */
function countedCopies(state: StoreState, shard: Shard): readonly Copy[] {
  return shard.copies.filter(
    (copy) => !copy.doomed && !state.leaving.has(copy.process) && (state.isAttached(copy) || state.isAwaited(copy)),
  );
}

function rebuild(state: StoreState, shard: Shard): void {
  shard.unplaceable = null;
  const source = leaderOf(state, shard);
  if (source === undefined) return;
  for (let counted = countedCopies(state, shard); counted.length < state.options.replicationFactor; ) {
    const holders = new Set(shard.copies.map(({ process }) => process));
    const places = state.places().filter(({ process }) => !holders.has(process));
    const zones = new Set(counted.flatMap(({ process }) => state.table.get(process)?.process.zone ?? []));
    const place = choosePlace(places, zones, state.options.random);
    if (place === undefined) {
      shard.unplaceable = `no process that has no copy of ${shard.id} yet and is to stay`;
      return;
    }
    const copy = {
      process: place.process,
      disk: place.disk,
      complete: false,
      behindSince: null,
      doomed: false,
      destroyed: false,
    };
    shard.copies = [...shard.copies, copy];
    state.note(shard, copy, `began to be made from ${source.process}`);
    catchUp(state, shard);
    counted = countedCopies(state, shard);
  }
}

/** Takes away what is too much, only where all the copies that should be there are in sync without it. */
function trim(state: StoreState, shard: Shard): void {
  const staying = servingCopies(state, shard).filter(({ process }) => !state.leaving.has(process));
  const surplus = countedCopies(state, shard).length - state.options.replicationFactor;
  if (surplus > 0) dropSurplus(state, shard, surplus, staying);
  if (staying.length < state.options.replicationFactor) return;
  for (const copy of shard.copies) {
    if (copy.doomed || staying.includes(copy)) continue;
    if (state.leaving.has(copy.process) && state.isAttached(copy)) {
      if (copy.disk === shard.leader) elect(state, shard, copy);
      drop(state, shard, copy, 'moved away');
    } else if (!state.isAttached(copy) && !state.isAwaited(copy) && !isUpToDate(copy)) {
      drop(state, shard, copy, 'was given up: its process was silent for too long');
    }
  }
}

/** A copy that was begun and is not needed any more is left lying about; a whole one too many is deleted. */
function dropSurplus(state: StoreState, shard: Shard, surplus: number, staying: readonly Copy[]): void {
  const unfinished = countedCopies(state, shard).filter(({ complete }) => !complete);
  const needed = state.options.replicationFactor;
  const settled = countedCopies(state, shard).filter(({ complete }) => complete).length;
  const leftovers = settled >= needed ? unfinished : unfinished.slice(unfinished.length - surplus);
  for (const copy of leftovers) leaveLying(state, shard, copy);
  if (leftovers.length > 0) return;
  const dispensable = staying.filter(({ disk }) => disk !== shard.leader);
  const tooMany = Math.min(surplus, staying.length - needed, dispensable.length);
  for (const copy of dispensable.slice(dispensable.length - Math.max(0, tooMany)))
    drop(state, shard, copy, 'was one too many');
}

function leaveLying(state: StoreState, shard: Shard, copy: Copy): void {
  copy.doomed = true;
  state.movement.abort(transferOf(shard, copy));
  state.note(shard, copy, 'was left unfinished');
  state.agenda.set(`sweep ${transferOf(shard, copy)}`, millis(state.options.leftoverDelay), () =>
    state.happen(() => drop(state, shard, copy, 'was swept up')),
  );
}

function drop(state: StoreState, shard: Shard, copy: Copy, why: string): void {
  state.movement.abort(transferOf(shard, copy));
  shard.copies = shard.copies.filter((other) => other !== copy);
  if (shard.leader === copy.disk) shard.leader = null;
  state.note(shard, copy, why);
}

/** The copies that a process has, or seems to have. */
export const copiesOn = (shard: Shard, process: ProcessId): readonly Copy[] =>
  shard.copies.filter((copy) => copy.process === process);
