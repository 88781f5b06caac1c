import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { ServerOptions } from 'node:https';
import { createServer as createSecureServer } from 'node:https';
import type { Server } from 'node:net';
import { onTestFinished } from 'vitest';
import { contractPaths } from '../../engines/http/contract.ts';
import type { HttpEngine } from '../../engines/http/http-engine.ts';
import { KubeClient } from '../../kube/client.ts';
import { realRandom } from '../../kube/random.ts';
import { secrets } from '../../kube/resources.ts';
import { FakeApi } from '../../kube/testing/fake-api.ts';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import type { ReachablePod } from '../engine-room/engine-source.ts';
import { httpEngine } from '../http-engine/http-engine.ts';
import type { HttpConnection } from '../http-engine/secret-credentials.ts';

export const untilAborted = new AbortController().signal;

/** Real servers on this machine, and Secrets in an API server in memory. */
export class ServerWorld {
  readonly clock = new VirtualClock();
  readonly api = new FakeApi(this.clock);
  readonly client = new KubeClient({ transport: this.api, clock: this.clock, random: realRandom });
  readonly asked: string[] = [];

  /** Listens until the test ends. Gives its port. */
  async serve(answer: RequestListener, tls?: ServerOptions, host = '127.0.0.1'): Promise<number> {
    const noted: RequestListener = (request, response) => {
      this.asked.push(`${request.method} ${request.url}`);
      return answer(request, response);
    };
    const server = tls === undefined ? createServer(noted) : createSecureServer(tls, noted);
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    return portOf(server);
  }

  async secret(name: string, data: Readonly<Record<string, string>>): Promise<void> {
    const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
    const metadata = { namespace: 'db', name };
    await this.client.create(secrets, { metadata, data: Object.fromEntries(encoded) }, { signal: untilAborted });
  }

  engine(connection: Partial<HttpConnection>, pods: readonly ReachablePod[] = []): HttpEngine {
    const { client, clock } = this;
    const whole = { path: '/', timeoutSeconds: 10, ...connection };
    return httpEngine(
      { client, clock },
      { namespace: 'db', connection: whole, pods: () => pods, groupAt: () => undefined },
    );
  }
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  return address.port;
}

const emptyTopology = { processes: [], units: [], quorums: [], health: { available: true, fullyReplicated: true } };

/** A server that speaks the contract and has nothing to tell. */
export const soundServer = (request: IncomingMessage, response: ServerResponse): void => {
  const health = { contract: 'v1', verbs: ['evacuate'] };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(request.url?.endsWith(contractPaths.health) === true ? health : emptyTopology));
};

/** `EngineRefused: words`, `EngineUnreachable: words`, or `done`. */
export async function outcome(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'done';
  } catch (error) {
    return String(error);
  }
}
