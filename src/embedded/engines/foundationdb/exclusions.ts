import type { EngineProcess } from '../model-engine.ts';
import { hostOf, withoutFlags } from './connection-string.ts';

/** `locality_<key>:<value>`, an address or an address with a port: what `exclude` and `include` take. */
export const isLocality = (token: string): boolean => /^locality_[^:]+:/.test(token);
export const isAddress = (token: string): boolean => /^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-fA-F:]+\])(:\d+)?$/.test(token);

/** What the engine calls a process by. `process_id` only tells apart the processes of one pod. */
export function localitiesOf({ group, id, zone }: EngineProcess): Readonly<Record<string, string>> {
  return {
    instance_id: group ?? id,
    machineid: zone,
    ...(group !== null && String(group) !== id ? { process_id: id } : {}),
    zoneid: zone,
  };
}

/** Who is told to leave. Kept by the database itself, so a process that was away comes back excluded. */
export class Exclusions {
  readonly #excluded = new Set<string>();
  readonly #failed = new Set<string>();
  /** Who is covered, until the lists change: it is asked for every copy of every range, again and again. */
  #covered = new WeakMap<EngineProcess, boolean>();

  /** `failed`: the data on it counts as gone from this moment. */
  exclude(tokens: readonly string[], failed: boolean): void {
    for (const token of tokens) (failed ? this.#failed : this.#excluded).add(token);
    this.#covered = new WeakMap();
  }

  /** A whole address takes its ports with it. */
  include(tokens: readonly string[], failed: boolean): void {
    const set = failed ? this.#failed : this.#excluded;
    for (const token of tokens)
      for (const entry of set) if (entry === token || entry.startsWith(`${token}:`)) set.delete(entry);
    this.#covered = new WeakMap();
  }

  includeAll(failed: boolean): void {
    (failed ? this.#failed : this.#excluded).clear();
    this.#covered = new WeakMap();
  }

  covers(process: EngineProcess): boolean {
    const known = this.#covered.get(process);
    if (known !== undefined) return known;
    const covered = [...this.#excluded].some((token) => matches(token, process)) || this.coversAsFailed(process);
    this.#covered.set(process, covered);
    return covered;
  }

  coversAsFailed(process: EngineProcess): boolean {
    for (const token of this.#failed) if (matches(token, process)) return true;
    return false;
  }

  /** Addresses before localities, each sorted, as the database keeps its keys. */
  list(kind: 'excluded' | 'failed'): readonly string[] {
    const all = [...(kind === 'failed' ? this.#failed : this.#excluded)].sort();
    return [...all.filter((token) => !isLocality(token)), ...all.filter(isLocality)];
  }
}

export function matches(token: string, process: EngineProcess): boolean {
  if (!token.startsWith('locality_'))
    return token === hostOf(process.address) || token === withoutFlags(process.address);
  const colon = token.indexOf(':');
  return localitiesOf(process)[token.slice('locality_'.length, colon)] === token.slice(colon + 1);
}
