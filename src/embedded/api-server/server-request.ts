import type { RequestInfo } from './request-info.ts';
import type { UserInfo } from './write-request.ts';

/** A request as a front hands it over. */
export interface ServerRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: string | undefined;
}

/** A request for a resource, with its path taken apart. */
export interface ApiRequest {
  readonly method: string;
  readonly info: RequestInfo;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string | undefined;
  readonly user: UserInfo;
}
