import type { AddressInfo, Server } from 'node:net';
import { ConfigurationError } from './errors.ts';

export interface ListenAddress {
  /** Names the server in messages: `the admission server`. */
  readonly name: string;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
}

/** What a person can do about each refusal of the system. */
const remedies: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process has this port; stop that process or choose another port',
  EACCES: 'this process may not use the port; choose one above 1023',
  EADDRNOTAVAIL: 'this machine does not have the address; choose one that it has, or 0.0.0.0',
  ENOTFOUND: 'the host name is unknown; give an address such as 0.0.0.0',
};

/**
 * Opens the port, and says where. Rejects with `ConfigurationError` when the system refuses, in one sentence that names the address and the
 * way out. Errors of the server after that are its own matter.
 */
export function listen(server: Server, address: ListenAddress): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => {
      server.off('listening', accept);
      reject(refusal(address, error));
    };
    const accept = () => {
      server.off('error', refuse);
      const bound = server.address();
      if (bound === null || typeof bound === 'string') reject(refusal(address, new Error('no port was opened')));
      else resolve(bound);
    };
    server.once('error', refuse);
    server.once('listening', accept);
    try {
      server.listen(address.port, address.host);
    } catch (error) {
      // A port outside 0 to 65535 throws instead of emitting.
      server.off('error', refuse);
      server.off('listening', accept);
      reject(refusal(address, error));
    }
  });
}

function refusal({ name, host, port }: ListenAddress, error: unknown): ConfigurationError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = remedies[code] ?? (error instanceof Error ? error.message : String(error));
  return new ConfigurationError(`${name} cannot listen on ${host}:${port}: ${reason}`, error);
}
