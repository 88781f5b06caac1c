export interface ContractRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ContractAnswer {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/**
 * One request to the server, and the whole answer, whatever its status. Sent once: it is not repeated and follows no redirect. Rejects where no
 * whole answer came in time, with `EngineUnreachable` where it can say why to a person, else with the system's own error.
 */
export type Exchange = (request: ContractRequest, signal: AbortSignal) => Promise<ContractAnswer>;
