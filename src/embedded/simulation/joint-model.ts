import type { ProcessId } from '../../model/ids.ts';
import type { Topology } from '../../model/topology.ts';
import type { Answers, Truth } from '../engines/model-engine.ts';
import type { Breakable } from './subject.ts';

/** Several databases that share nothing, looked at as one: what is wrong with any of them is wrong. */
export class JointModel implements Breakable {
  readonly #models: readonly [Breakable, ...Breakable[]];

  constructor(...models: readonly [Breakable, ...Breakable[]]) {
    this.#models = models;
  }

  truth(): Truth {
    const truths = this.#models.map((model) => model.truth());
    return {
      lost: truths.flatMap(({ lost }) => lost),
      unavailable: truths.flatMap(({ unavailable }) => unavailable),
      brokenQuorums: truths.flatMap(({ brokenQuorums }) => brokenQuorums),
    };
  }

  whole(): Topology {
    const [first, ...others] = this.#models;
    const all = [first.whole(), ...others.map((model) => model.whole())] as const;
    return {
      observedAt: all[0].observedAt,
      health: all.map(({ health }) => health).find(({ fullyReplicated }) => fullyReplicated !== true) ?? all[0].health,
      processes: all.flatMap(({ processes }) => processes),
      units: all.flatMap(({ units }) => units),
      quorums: all.flatMap(({ quorums }) => quorums),
    };
  }

  answer(how: Answers): void {
    for (const model of this.#models) model.answer(how);
  }

  isolate(id: ProcessId): void {
    for (const model of this.#models) if (isIn(model, id)) model.isolate(id);
  }

  rejoin(id: ProcessId): void {
    for (const model of this.#models) if (isIn(model, id)) model.rejoin(id);
  }
}

const isIn = (model: Breakable, id: ProcessId): boolean => model.whole().processes.some((process) => process.id === id);
