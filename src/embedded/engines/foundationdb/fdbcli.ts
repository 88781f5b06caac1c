#!/usr/bin/env node
import { readFile, writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { seconds, sleep } from '../../../kube/clock.ts';
import { realClock } from '../../../kube/real-clock.ts';
import type { CliResult, CommandLine } from './cli/fdbcli-command-line.ts';
import { parseCommandLine, parseCommands } from './cli/fdbcli-command-line.ts';
import type { ConnectionString } from './connection-string.ts';
import { parseConnectionString } from './connection-string.ts';
import type { FdbcliRequest } from './serve-fdb.ts';
import { unreachableStatus } from './status/unreachable-status.ts';

/**
 * The model's fdbcli, with the real one's command line: `fdbcli.ts --exec "status json" -C fdb.cluster --timeout 10`. It asks the model
 * at `FDB_MODEL_ADDRESS`, or else at the first coordinator of the cluster file that is on this machine.
 */
async function main(argv: readonly string[]): Promise<CliResult> {
  const line = parseCommandLine(argv);
  if ('refused' in line) return { stdout: '', stderr: line.refused, code: 1 };
  if (line.version) return { stdout: 'FoundationDB CLI 7.3 (v7.3.63)\n', stderr: '', code: 0 };
  const path = line.clusterFilePath ?? process.env['FDB_CLUSTER_FILE'] ?? '/etc/foundationdb/fdb.cluster';
  const clusterFile = await readFile(path, 'utf8').catch(() => undefined);
  if (clusterFile === undefined)
    return { stdout: '', stderr: `ERROR: Unable to read cluster file \`${path}' (1515)\n`, code: 1 };
  const connection = parseConnectionString(clusterFile);
  if (connection === undefined) return { stdout: '', stderr: 'ERROR: Connection string invalid (2104)\n', code: 1 };
  const stdin = line.exec === null ? await text(process.stdin) : '';
  const address = modelAddress(connection);
  const result = address === undefined ? undefined : await ask(address, { argv, stdin, clusterFile });
  if (result === undefined) return nobodyThere(line, connection, stdin);
  if (result.clusterFile !== undefined && staysReachable(result.clusterFile)) await writeFile(path, result.clusterFile);
  return result;
}

const isHere = (address: string): boolean => /^127(\.\d+){3}:\d+$/.test(address);

const modelAddress = ({ coordinators }: ConnectionString): string | undefined =>
  process.env['FDB_MODEL_ADDRESS'] ?? coordinators.find(isHere);

/** The client library keeps the cluster file up to date; a model that is found through the file must not be lost by that. */
function staysReachable(clusterFile: string): boolean {
  const connection = parseConnectionString(clusterFile);
  return connection !== undefined && modelAddress(connection) !== undefined;
}

/** Undefined: nobody there, or nobody that knows this database. */
async function ask(address: string, request: FdbcliRequest): Promise<CliResult | undefined> {
  const response = await fetch(`http://${address}/fdbcli`, { method: 'POST', body: JSON.stringify(request) }).catch(
    () => undefined,
  );
  if (response?.status !== 200) return undefined;
  const body: unknown = await response.json();
  return isResult(body) ? body : undefined;
}

const isResult = (body: unknown): body is CliResult =>
  typeof body === 'object' &&
  body !== null &&
  'stdout' in body &&
  typeof body.stdout === 'string' &&
  'stderr' in body &&
  typeof body.stderr === 'string' &&
  'code' in body &&
  typeof body.code === 'number';

/** `status json` tells of coordinators that do not answer; everything else waits for them until the time is up. */
async function nobodyThere(line: CommandLine, { coordinators }: ConnectionString, stdin: string): Promise<CliResult> {
  const [command] = parseCommands(line.exec ?? stdin);
  if (command?.join(' ') === 'status json')
    return { stdout: `${JSON.stringify(unreachableStatus(coordinators), null, 4)}\n`, stderr: '', code: 0 };
  const forever = 365 * 24 * 3600;
  await sleep(realClock, seconds(line.timeout === 0 ? forever : line.timeout), new AbortController().signal);
  return { stdout: '', stderr: 'Specified timeout reached -- exiting...\n', code: 1 };
}

const result = await main(process.argv.slice(2));
process.stdout.write(result.stdout);
process.stderr.write(result.stderr);
process.exitCode = result.code;
