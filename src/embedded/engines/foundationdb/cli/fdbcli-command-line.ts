/** What came of one run of fdbcli. */
export interface CliResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
  /** What the client library would have written into the cluster file, where the one given was out of date. */
  readonly clusterFile?: string;
}

/** What fdbcli has besides its arguments. */
export interface CliCall {
  /** The text of the cluster file; without it an up-to-date one is meant. */
  readonly clusterFile?: string;
  /** Ctrl-C. What was begun goes on. */
  readonly signal?: AbortSignal;
}

export interface CommandLine {
  readonly clusterFilePath: string | null;
  /** null: the commands come from standard input. */
  readonly exec: string | null;
  /** In seconds; 0: none. */
  readonly timeout: number;
  readonly version: boolean;
}

/** Options of fdbcli that take a value; those that change nothing here are accepted like the others. */
const withValue = new Set([
  '-C',
  '--cluster-file',
  '--cluster_file',
  '--exec',
  '--timeout',
  '--log-dir',
  '--log_dir',
  '--trace_format',
  '--trace-format',
  '--api-version',
  '--tls_certificate_file',
  '--tls_key_file',
  '--tls_ca_file',
  '--knob',
]);
const withoutValue = new Set(['--log', '--no-status', '--no-hints', '-v', '--version', '--debug-tls']);

/** The arguments of fdbcli, or the words with which it refuses them. */
export function parseCommandLine(argv: readonly string[]): CommandLine | { readonly refused: string } {
  const values = new Map<string, string>();
  for (let index = 0; index < argv.length; index++) {
    const [option = '', attached] = (argv[index] ?? '').split(/=(.*)/s, 2);
    if (withoutValue.has(option)) values.set(option, '');
    else if (!withValue.has(option)) return refuse(`unknown option: \`${option}'`);
    else {
      const value = attached ?? argv[++index];
      if (value === undefined) return refuse(`option ${option} requires an argument`);
      values.set(option, value);
    }
  }
  const timeout = Number(values.get('--timeout') ?? 0);
  if (!Number.isInteger(timeout) || timeout < 0) return refuse(`invalid timeout ${values.get('--timeout') ?? ''}`);
  return {
    clusterFilePath: values.get('-C') ?? values.get('--cluster-file') ?? values.get('--cluster_file') ?? null,
    exec: values.get('--exec') ?? null,
    timeout,
    version: values.has('-v') || values.has('--version'),
  };
}

const refuse = (why: string) => ({ refused: `ERROR: ${why}\nTry \`fdbcli --help' for more information.\n` });

/** Commands are separated by `;` and lines, words by spaces; quotes keep both. */
export function parseCommands(text: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  for (const [, quoted, word, separator] of text.matchAll(/"((?:[^"\\]|\\.)*)"|([^\s;"]+)|([;\n])/g)) {
    if (separator !== undefined) commands.push([]);
    else commands.at(-1)?.push(quoted ?? word ?? '');
  }
  return commands.filter((command) => command.length > 0);
}
