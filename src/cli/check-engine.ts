import { readFile } from 'node:fs/promises';
import { Command, InvalidArgumentError } from 'commander';
import { EngineUnreachable } from '../engines/engine.ts';
import { HttpEngine } from '../engines/http/http-engine.ts';
import { seconds } from '../kube/clock.ts';
import type { Credentials } from '../kube/connection.ts';
import { ConfigurationError } from '../kube/errors.ts';
import { nodeTransport } from '../kube/node-transport.ts';
import { realClock } from '../kube/real-clock.ts';
import { name } from '../model/ids.ts';
import { instant } from '../model/time.ts';
import { exchangeOver } from '../operator/http-engine/exchange-over.ts';
import type { CheckedEngine } from './checked-engine-text.ts';
import { checkedEngineText } from './checked-engine-text.ts';
import type { OutputFormat } from './output-format.ts';
import { format, outputOption } from './output-format.ts';
import { plain } from './plain.ts';
import { exitCodes } from './run-command.ts';

interface Options {
  readonly tokenFile?: string;
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly serverName?: string;
  readonly timeout: number;
  readonly output: OutputFormat;
}

const example = `
Example:
  $ drover check-engine http://127.0.0.1:8080 --token-file token

Exit codes: 0 understood, 1 not answered or not understood, 2 called wrongly.`;

/** `drover check-engine`: what Drover understands of a server of the http contract. It only asks, and tells the server nothing. */
export function checkEngineCommand(): Command {
  return new Command('check-engine')
    .description('Asks a server of the http contract for its health and topology, and prints what Drover understands.')
    .argument('<url>', 'where the server is, as in spec.engine.http.url', address)
    .option('--token-file <file>', 'a file with the bearer token')
    .option('--ca-file <file>', 'the authority that the server is checked against')
    .option('--cert-file <file>', 'our own certificate, with --key-file')
    .option('--key-file <file>', 'its key')
    .option('--server-name <name>', "the name that the server's certificate is for")
    .option('--timeout <seconds>', 'how long one request may take', timeLimit, 10)
    .addOption(outputOption())
    .addHelpText('after', example)
    .action(run);
}

function address(text: string): URL {
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new InvalidArgumentError('It must be an address such as http://127.0.0.1:8080.');
}

function timeLimit(text: string): number {
  const limit = Number(text);
  if (limit > 0 && limit <= 600) return limit;
  throw new InvalidArgumentError('It must be a number of seconds, at most 600.');
}

async function run(server: URL, options: Options): Promise<void> {
  const given = await credentialsFrom(options);
  const source = options.caFile ?? "this machine's list of authorities, or give --ca-file";
  const transport = nodeTransport({ server, source, credentials: () => Promise.resolve(given) });
  const engine = new HttpEngine({
    exchange: exchangeOver({ transport, clock: realClock, limit: seconds(options.timeout) }),
    now: () => instant(realClock.now()),
    groupOf: (pod) => (pod === undefined ? undefined : name(pod)),
  });
  const { signal } = new AbortController();
  try {
    const health = await engine.health(signal);
    const checked: CheckedEngine = { health, ...(await engine.observe(signal)) };
    process.stdout.write(`${format(options.output, checked, () => checkedEngineText(checked))}\n`);
  } catch (error) {
    if (!(error instanceof EngineUnreachable)) throw error;
    process.stderr.write(`drover: ${plain(error.message)}\n`);
    process.exitCode = exitCodes.failed;
  } finally {
    transport.close();
  }
}

async function credentialsFrom({ tokenFile, caFile, certFile, keyFile, serverName }: Options): Promise<Credentials> {
  const [token, ca, cert, key] = await Promise.all([tokenFile, caFile, certFile, keyFile].map(contentOf));
  return {
    headers: token === undefined ? {} : { authorization: `Bearer ${token.trim()}` },
    tls: {
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
      ...(serverName !== undefined && { servername: serverName }),
    },
  };
}

async function contentOf(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new ConfigurationError(`${file} cannot be read`, cause);
  }
}
