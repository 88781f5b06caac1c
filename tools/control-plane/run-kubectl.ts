import { type ProgramResult, runProgram } from './run-program.ts';

export interface KubectlOptions {
  readonly input?: string | undefined;
  /** Path of a kubeconfig, such as `kubeconfigFor` gives. */
  readonly kubeconfig?: string | undefined;
  /** Path of another kubectl, such as `ensureOlderKubectl` gives. */
  readonly program?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with each piece of what it says to people, as it comes. */
  readonly onStderr?: ((text: string) => void) | undefined;
}

/** Runs a kubectl with nothing of the person's own, neither what it reads nor what it leaves behind. Resolves whatever its exit code. */
export function runKubectl(
  usual: string,
  args: readonly string[],
  own: { readonly kubeconfig: string; readonly cache: string },
  options: KubectlOptions,
): Promise<ProgramResult> {
  const { program = usual, kubeconfig = own.kubeconfig, input, signal, onStderr } = options;
  const env = { ...process.env, KUBECONFIG: kubeconfig, KUBERC: 'off', KUBECACHEDIR: own.cache };
  return runProgram(program, args, { input, signal, onStderr, env });
}
