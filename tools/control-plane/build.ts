import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { withLock } from './build-lock.ts';
import { createPrinter, describeBuild, duration, type Progress } from './build-progress.ts';
import { type BuildRecipe, cacheFolder, readRecipe, sourceFolder } from './build-recipe.ts';
import { parts } from './command-lines.ts';
import { ControlPlaneError } from './errors.ts';
import { type ProgramResult, type RunOptions, runProgram } from './run-program.ts';

export interface BuildOptions {
  /** Told what goes on, about once a second; printed to standard error unless told otherwise. */
  readonly progress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Folder that keeps the binaries of all versions; see `cacheFolder`. */
  readonly cache?: string | undefined;
}

/** Something to build: what it is called, and where its module is. */
interface Program {
  readonly name: string;
  readonly sources: string;
  /** The packages of the module that are programs. */
  readonly packages: readonly string[];
  /** What Go calls the first of them, and under which names it is started. */
  readonly binary: string;
  readonly links: readonly string[];
  /** How much there is to compile on a fresh machine, and how long that takes on two cores. */
  readonly whole: string;
}

const controlPlane: Program = {
  name: 'control plane',
  sources: sourceFolder,
  packages: ['.', './kubectl'],
  binary: 'control-plane',
  links: parts,
  whole: 'about 5 min for all 2784 on two cores',
};
const olderKubectl: Program = {
  name: 'older kubectl',
  sources: join(sourceFolder, 'older-kubectl'),
  packages: ['.'],
  binary: 'older-kubectl',
  links: ['kubectl'],
  whole: 'about 90 s for all of them on two cores',
};

/**
 * A folder with etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kwok and kubectl, built if need be.
 *
 * The first build on a machine takes minutes; one after a change of our few Go files takes seconds, and without a change it only looks.
 * Two processes that ask at once get the same folder: the second waits for the first.
 */
export function ensureControlPlane(options: BuildOptions = {}): Promise<string> {
  return ensure(controlPlane, options);
}

/** The path of a kubectl that is three versions older than the cluster, built if need be. */
export async function ensureOlderKubectl(options: BuildOptions = {}): Promise<string> {
  return join(await ensure(olderKubectl, options), 'kubectl');
}

async function ensure(program: Program, options: BuildOptions): Promise<string> {
  const recipe = readRecipe(program.sources);
  const cache = options.cache ?? cacheFolder();
  const folder = join(cache, recipe.key);
  if (existsSync(folder)) return folder;

  const progress = options.progress ?? createPrinter(process.stderr);
  const say = (text: string): void => progress({ text, lasting: true });
  mkdirSync(cache, { recursive: true });
  const lock = {
    signal: options.signal,
    onWait: ({ pid }: { pid: number }) => say(`${program.name}: process ${pid} builds it already; waiting for that`),
  };
  await withLock(join(cache, `${recipe.key}.lock`), lock, async () => {
    if (existsSync(folder)) return;
    await insistOnGo(recipe, options.signal);
    const draft = mkdtempSync(join(cache, 'building-'));
    try {
      await compile(program, recipe, draft, progress, options.signal);
      for (const name of program.links) symlinkSync(program.binary, join(draft, name));
      publish(draft, folder);
      say(`${program.name}: Kubernetes ${recipe.kubernetesVersion} is in ${folder}`);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  });
  return folder;
}

async function compile(
  program: Program,
  recipe: BuildRecipe,
  into: string,
  progress: (progress: Progress) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const packages = await countStalePackages(program, recipe, progress, signal);
  const cores = availableParallelism();
  const started = Date.now();
  const state = { packages, compiled: 0, elapsedSeconds: 0, cores };
  const size = packages < 100 ? 'a small build' : `${packages} packages to compile; ${program.whole}`;
  progress({ text: `${program.name}: building Kubernetes ${recipe.kubernetesVersion}, ${size}`, lasting: true });

  const tick = setInterval(() => {
    state.elapsedSeconds = (Date.now() - started) / 1000;
    progress({ text: describeBuild(state), lasting: false });
  }, 1000);
  try {
    const onStderr = (text: string): void => void (state.compiled += text.split('\n').length - 1);
    const { code, stderr } = await go(recipe, [...recipe.goArgs, '-o', `${into}/`, ...program.packages], {
      signal,
      onStderr,
    });
    if (code !== 0) throw buildFailed(program.name, stderr);
  } finally {
    clearInterval(tick);
  }
  progress({ text: `${program.name}: built in ${duration((Date.now() - started) / 1000)}`, lasting: true });
}

/** How many packages the build cache does not have. Downloads the modules, which on a fresh machine takes a minute of its own. */
async function countStalePackages(
  { name, packages }: Program,
  recipe: BuildRecipe,
  progress: (progress: Progress) => void,
  signal: AbortSignal | undefined,
): Promise<number> {
  let downloads = 0;
  const onStderr = (text: string): void => {
    downloads += text.split('go: downloading').length - 1;
    if (downloads > 0) progress({ text: `${name}: ${downloads} Go modules downloaded`, lasting: false });
  };
  const flags = recipe.goArgs.slice(recipe.goArgs.indexOf('-trimpath'));
  const format = '{{if .Stale}}{{.ImportPath}}{{end}}';
  const { code, stdout, stderr } = await go(recipe, ['list', '-deps', ...flags, '-f', format, ...packages], {
    signal,
    onStderr,
  });
  if (code !== 0) throw buildFailed(name, stderr);
  return stdout.split('\n').filter((line) => line !== '').length;
}

async function insistOnGo(recipe: BuildRecipe, signal: AbortSignal | undefined): Promise<void> {
  const install = 'install Go 1.26 or newer (https://go.dev/dl), which compiles Kubernetes for the cluster tests';
  let answer: ProgramResult;
  try {
    answer = await go(recipe, ['version'], { signal });
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ControlPlaneError('GoMissing', `there is no go on the path: ${install}`, { cause });
  }
  if (answer.code !== 0) {
    throw new ControlPlaneError('GoTooOld', `go does not fit (${lastLine(answer.stderr)}): ${install}`);
  }
}

function go({ sources }: BuildRecipe, args: readonly string[], options: RunOptions): Promise<ProgramResult> {
  return runProgram('go', args, {
    ...options,
    cwd: sources,
    env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' },
  });
}

/** Puts a finished folder under its name, where only whole ones are; whoever comes second keeps the first one's. */
function publish(draft: string, folder: string): void {
  try {
    renameSync(draft, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

function buildFailed(name: string, stderr: string): ControlPlaneError {
  const end = stderr.trimEnd().split('\n').slice(-12).join('\n');
  return new ControlPlaneError('BuildFailed', `the ${name} could not be built; go says:\n${end}`);
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}

if (import.meta.main) {
  const abort = new AbortController();
  process.once('SIGINT', () => abort.abort());
  console.log(await ensureControlPlane({ signal: abort.signal }));
}
