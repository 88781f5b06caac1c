import { EngineUnreachable } from '../../engines/engine.ts';
import type { Fdbcli, FdbcliCall, FdbcliResult } from '../../engines/foundationdb/fdbcli.ts';
import { mostPrinted } from '../../engines/foundationdb/fdbcli.ts';
import { seconds } from '../../kube/clock.ts';
import { describeError } from '../../kube/error-description.ts';
import { ConnectionLost, KubeApiError, MalformedAnswer, RequestTimeout, wordsOf } from '../../kube/errors.ts';
import type { EngineSurroundings } from './engine-source.ts';

export interface PodFdbcliOptions {
  /** The container that has fdbcli. */
  readonly container: string;
  /** A name that is looked up on the PATH of the container, or a whole path. */
  readonly path: string;
}

/** In how many pods one command is tried at most. */
const mostPods = 3;

/** What a shell or a container runtime ends with for a program that cannot be run, or is not there. */
const notRun: ReadonlySet<number> = new Set([126, 127]);

/**
 * Runs fdbcli inside a ready pod of the cluster, so that its version always fits. It finds the database by the cluster file that the container's own
 * `FDB_CLUSTER_FILE` names, which for Drover's pods is the ConfigMap that Drover keeps up to date.
 *
 * It stays with a pod for as long as that one does well, because a file that is behind, or a network that is cut, are troubles of one pod. A command
 * that was not run there is tried in the next pod at once; one that may have been heard is not, and the next command goes elsewhere. No message names
 * the pod: it ends up in the status, which is to stay as it is while the trouble does.
 */
export function podFdbcli(options: PodFdbcliOptions, surroundings: EngineSurroundings): Fdbcli {
  let favourite: string | undefined;
  return async (argv, call) => {
    const places = inTurn(surroundings, favourite);
    if (places.length === 0)
      throw new EngineUnreachable(
        'fdbcli runs inside a pod of the cluster, and none of them is ready: it is tried again when one is',
      );
    const troubles = new Set<string>();
    for (const [index, pod] of places.slice(0, mostPods).entries()) {
      favourite = places[index + 1];
      const outcome = await runIn(pod, { options, surroundings, argv, call });
      if (!('notRun' in outcome)) {
        if (isSound(argv, outcome)) favourite = pod;
        return outcome;
      }
      troubles.add(outcome.notRun);
      if (outcome.isEverywhere) break;
    }
    throw new EngineUnreachable([...troubles].sort().join('; '));
  };
}

/** The ready ones, those that stay before those that leave, and each beginning with the favourite. */
function inTurn(surroundings: EngineSurroundings, favourite: string | undefined): readonly string[] {
  const ready = surroundings.pods().filter((pod) => pod.ready);
  return [false, true].flatMap((leaves) => {
    const some = ready.filter(({ group }) => surroundings.leaves(group) === leaves).map(({ name }) => name);
    const sorted = some.sort();
    const first = Math.max(0, sorted.indexOf(favourite ?? ''));
    return [...sorted.slice(first), ...sorted.slice(0, first)];
  });
}

/** Whether this pod's fdbcli reaches the database: one that does not prints a status all the same, without the database's part. */
function isSound(argv: readonly string[], { exitCode, stdout }: FdbcliResult): boolean {
  return exitCode === 0 && (!argv.includes('status json') || stdout.includes('"connection_string"'));
}

/** The program was not run, so nothing was asked of the database. */
interface NotRun {
  readonly notRun: string;
  /** No other pod would do better. */
  readonly isEverywhere: boolean;
}

interface Running {
  readonly options: PodFdbcliOptions;
  readonly surroundings: EngineSurroundings;
  readonly argv: readonly string[];
  readonly call: FdbcliCall;
}

async function runIn(
  pod: string,
  { options: { container, path }, surroundings, argv, call }: Running,
): Promise<FdbcliResult | NotRun> {
  const { signal, timeoutSeconds } = call;
  try {
    const result = await surroundings.run(pod, {
      container,
      command: [path, ...argv],
      mostBytes: mostPrinted,
      deadline: seconds(2 * timeoutSeconds),
      signal,
    });
    if (!notRun.has(result.exitCode)) return result;
    const why = `container ${container} has no program ${path} (exit code ${result.exitCode})`;
    return { notRun: `${why}: see spec.engine.foundationdb.fdbcli.path`, isEverywhere: false };
  } catch (error) {
    if (error instanceof KubeApiError) return notRunBecause(error, pod, container);
    throw new EngineUnreachable(lostBecause(error, call), { cause: error });
  }
}

function notRunBecause(error: KubeApiError, pod: string, container: string): NotRun {
  // Whichever pod it was: the next try may be in another one.
  const said = wordsOf(error).replaceAll(pod, '<pod>');
  const here = `fdbcli could not be run in container ${container} of a pod: ${said}`;
  switch (error.status) {
    case 403:
      return {
        notRun: `Drover may not run fdbcli in pods, its role needs get and create of pods/exec: ${said}`,
        isEverywhere: true,
      };
    case 404:
      return { notRun: 'the pod for fdbcli is gone', isEverywhere: false };
    case 400:
      return { notRun: `${here}; see spec.engine.foundationdb.fdbcli.container`, isEverywhere: false };
    default:
      return { notRun: here, isEverywhere: false };
  }
}

function lostBecause(error: unknown, { signal, timeoutSeconds }: FdbcliCall): string {
  if (signal.aborted) return 'fdbcli in a pod was given up before its time, as asked';
  if (error instanceof RequestTimeout)
    return `fdbcli in a pod did not end within ${2 * timeoutSeconds} s, twice the time that it was given`;
  if (error instanceof ConnectionLost && error.sent)
    return 'the connection to fdbcli in a pod broke before its answer was whole: whether the database was told is not known';
  if (error instanceof MalformedAnswer)
    return 'what fdbcli in a pod printed is not believable: it is too much, or its end cannot be read';
  return `fdbcli could not be run in a pod: ${describeError(error).message}`;
}
