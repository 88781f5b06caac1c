/** One HTTP request to the API server. The path carries the query. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /**
   * Asks to go on as a WebSocket with one of these sub-protocols. Where the server agrees, with status 101, the body of the answer is the
   * messages that it sends, one chunk each, until it closes the connection. Everything else is its answer to the request.
   */
  readonly webSocket?: readonly string[];
}

/** The head of an answer, and its body as it comes. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Every warning that the API server sent along, in order; HTTP allows the header more than once. */
  readonly warnings: readonly string[];
  /**
   * Chunks as they arrive. Ends when the server ended the answer properly; throws `ConnectionLost` when the connection broke
   * before that, so that half an answer is never taken for a whole one. Whoever stops reading early must call `return()` on the
   * iterator (as `for await` does) or abort the request, or the connection stays taken.
   */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * How bytes reach the API server: the seam at which the embedded world and the fault injector step in.
 *
 * Rejects with `ConnectionLost` when no answer came, with the signal's reason when it was aborted, with `ConfigurationError` where only a
 * person can help (trust, credentials), and, behind a fence, with `NotLeading`. It does not retry, does not interpret the status, and may be
 * called any number of times at once.
 */
export interface Transport {
  send(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse>;
  /** Closes idle connections; what is under way goes on. */
  close(): void;
}
