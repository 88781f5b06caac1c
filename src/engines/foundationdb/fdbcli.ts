/** What came of one run of fdbcli. */
export interface FdbcliResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface FdbcliCall {
  /** Also in `argv` as `--timeout`. Whoever runs the program ends it when twice this has passed: it did not heed its own limit. */
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

/** How much fdbcli may print before it is given up: a status has about 10 KiB for each process. */
export const mostPrinted = 64 * 1024 * 1024;

/**
 * The one way to the database: runs `fdbcli <argv>` against it and tells what it printed. Where the program runs, and with which cluster
 * file, is its own affair: on this machine (`localFdbcli`), in the process (the model's own `fdbcli`), or by `exec` in a pod, which the operator
 * brings, because it has the connection to Kubernetes.
 *
 * Rejects where the program did not run to its end. An exit code is an answer, whatever it is.
 */
export type Fdbcli = (argv: readonly string[], call: FdbcliCall) => Promise<FdbcliResult>;
