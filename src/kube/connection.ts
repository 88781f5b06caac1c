import type { Agent } from 'node:http';
import type { SecureContextOptions } from 'node:tls';

/** Who we are to the API server, at this moment. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: SecureContextOptions & { readonly rejectUnauthorized?: boolean; readonly servername?: string };
  /** Set where the way to the server leads through a proxy. */
  readonly agent?: Agent;
}

/** An API server and a way to be let in. */
export interface Connection {
  readonly server: URL;
  /** For messages: where the address came from, such as a file's name. */
  readonly source: string;
  /** Where people look who name no namespace. */
  readonly namespace?: string | undefined;
  /**
   * Fresh enough credentials. Tokens that rotate are read again by themselves; `renew` asks for new ones now, because the server refused the
   * last. Throws `ConfigurationError` with one sentence for the person who has to change something.
   */
  credentials(renew?: boolean): Promise<Credentials>;
}
