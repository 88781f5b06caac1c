import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../../../kube/listen.ts';
import type { CliResult } from './cli/fdbcli-command-line.ts';
import { parseConnectionString } from './connection-string.ts';
import type { FoundationDB } from './foundationdb.ts';

/** A model that executables can ask. */
export interface ServedFdb {
  /** `127.0.0.1:41234`: for `FDB_MODEL_ADDRESS`, or as a coordinator's address in a cluster file. */
  readonly address: string;
  close(): Promise<void>;
}

/** What the executable sends. */
export interface FdbcliRequest {
  readonly argv: readonly string[];
  readonly stdin: string;
  readonly clusterFile: string;
}

/**
 * Serves models to `fdbcli.ts`, on the loopback only. Which one is meant is told by the description in the cluster file; without an
 * entry of that name the client finds nobody, as with the real one.
 */
export async function serveFdb(
  databases: (description: string) => FoundationDB | undefined,
  port = 0,
): Promise<ServedFdb> {
  const server = createServer((request, response) => {
    answer(databases, request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  const bound = await listen(server, { name: 'the model of FoundationDB', host: '127.0.0.1', port });
  return {
    address: `127.0.0.1:${bound.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  databases: (description: string) => FoundationDB | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const asked = parseRequest(JSON.parse(await text(request)));
  if (asked === undefined) return void response.writeHead(400).end('this is for fdbcli.ts');
  const database = databases(parseConnectionString(asked.clusterFile)?.description ?? '');
  if (database === undefined) return void response.writeHead(404).end('no such database');
  // The executable went away, so nobody waits for the answer any more.
  const controller = new AbortController();
  response.on('close', () => controller.abort());
  const result: CliResult = await database.fdbcli(asked.argv, asked.stdin, {
    clusterFile: asked.clusterFile,
    signal: controller.signal,
  });
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
}

function parseRequest(body: unknown): FdbcliRequest | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  if (!('argv' in body) || !('stdin' in body) || !('clusterFile' in body)) return undefined;
  const { argv, stdin, clusterFile } = body;
  if (!Array.isArray(argv) || typeof stdin !== 'string' || typeof clusterFile !== 'string') return undefined;
  return { argv: argv.map(String), stdin, clusterFile };
}
