import type { Instant } from '../../model/time.ts';
import type { Engine, Observation, Target } from '../engine.ts';
import { EngineRefused, EngineUnreachable } from '../engine.ts';
import { excerpt } from '../excerpt.ts';
import { RefusedVerbs } from '../refused-verbs.ts';
import { gatheredAt } from './age.ts';
import type { ContractHealth, VerbRequest } from './contract.schema.ts';
import { healthSchema, topologySchema } from './contract.schema.ts';
import type { ContractVerb } from './contract.ts';
import { contractPaths, contractVersion } from './contract.ts';
import type { ContractAnswer, ContractRequest, Exchange } from './exchange.ts';
import { jobsOf, jobVerbs } from './jobs.ts';
import type { GroupOf } from './observe.ts';
import { topologyOf } from './observe.ts';
import { readAnswer } from './read-answer.ts';
import { isSuccess, notDone, unanswered } from './refusal.ts';
import { silenceOf } from './silence.ts';

export interface HttpEngineOptions {
  readonly exchange: Exchange;
  readonly now: () => Instant;
  readonly groupOf: GroupOf;
}

/** For so long it is not asked again what it is: a server that was updated is known soon. */
const knownFor = 300_000;

/** A system that serves the contract: three endpoints, which are documented in docs/how-to/serve-the-http-contract.md. */
export class HttpEngine implements Engine {
  readonly #options: HttpEngineOptions;
  readonly #refused = new RefusedVerbs();
  #server: { readonly health: ContractHealth; readonly at: Instant } | undefined;

  constructor(options: HttpEngineOptions) {
    this.#options = options;
  }

  async observe(signal: AbortSignal): Promise<Observation> {
    const { now, groupOf } = this.#options;
    try {
      await this.health(signal);
      const askedAt = now();
      const answer = await this.#get('the topology', contractPaths.topology, signal);
      const document = readAnswer('the topology', topologySchema, answer);
      const observedAt = gatheredAt(document.observedAt, { askedAt, date: answer.headers['date'] });
      const topology = topologyOf(document, observedAt, groupOf);
      return { topology, jobs: [...jobsOf(document, observedAt), ...this.#refused.jobs(askedAt)] };
    } catch (error) {
      // Whatever answers next may be another server.
      this.#server = undefined;
      throw error;
    }
  }

  /** What the server is, as it says now or said a few minutes ago. Rejects with `EngineUnreachable` where it speaks no contract that we know. */
  async health(signal: AbortSignal): Promise<ContractHealth> {
    const at = this.#options.now();
    if (this.#server !== undefined && at - this.#server.at < knownFor) return this.#server.health;
    const health = readAnswer('the health', healthSchema, await this.#get('the health', contractPaths.health, signal));
    if (health.contract !== contractVersion)
      throw new EngineUnreachable(
        `${systemOf(health)} speaks the contract ${excerpt(health.contract)}, and this version of Drover ${contractVersion}: update the older of the two`,
      );
    this.#server = { health, at };
    return health;
  }

  handOff(target: Target, signal: AbortSignal): Promise<void> {
    return this.#tell('hand-off', target, signal);
  }

  evacuate(target: Target, signal: AbortSignal): Promise<void> {
    return this.#tell('evacuate', target, signal);
  }

  cancelEvacuation(target: Target, signal: AbortSignal): Promise<void> {
    return this.#tell('cancel-evacuation', target, signal);
  }

  forget(target: Target, signal: AbortSignal): Promise<void> {
    return this.#tell('forget', target, signal);
  }

  #tell(verb: ContractVerb, target: Target, signal: AbortSignal): Promise<void> {
    const known = jobVerbs[verb];
    const ask = () => this.#ask(verb, target, signal);
    return known === undefined ? ask() : this.#refused.heed(known, target, this.#options.now, ask);
  }

  async #ask(verb: ContractVerb, { group, processes, addresses, units }: Target, signal: AbortSignal): Promise<void> {
    const health = await this.health(signal);
    if (!health.verbs.includes(verb)) {
      const offered = health.verbs.length === 0 ? 'none' : excerpt(health.verbs.join(', '));
      throw new EngineRefused(`${systemOf(health)} does not offer ${verb}; the verbs of its health are: ${offered}`);
    }
    const request: VerbRequest = {
      group,
      processes: [...processes],
      addresses: [...addresses],
      ...(units !== undefined && { units: [...units] }),
    };
    const what = `${verb} of ${group}`;
    const headers = { 'content-type': 'application/json' };
    const path = contractPaths.verb(verb);
    const answer = await this.#send(what, { method: 'POST', path, headers, body: JSON.stringify(request) }, signal);
    if (!isSuccess(answer)) throw notDone(what, answer);
  }

  async #get(what: string, path: string, signal: AbortSignal): Promise<ContractAnswer> {
    const answer = await this.#send(what, { method: 'GET', path, headers: {} }, signal);
    if (isSuccess(answer)) return answer;
    throw unanswered(what, answer);
  }

  async #send(what: string, request: ContractRequest, signal: AbortSignal): Promise<ContractAnswer> {
    if (signal.aborted) throw new EngineUnreachable(`${what} was not asked for any more`, { cause: signal.reason });
    try {
      return await this.#options.exchange(
        { ...request, headers: { accept: 'application/json', ...request.headers } },
        signal,
      );
    } catch (error) {
      throw silenceOf(what, error);
    }
  }
}

const systemOf = ({ system }: ContractHealth): string =>
  system === null || system === undefined ? 'the server' : excerpt(system);
