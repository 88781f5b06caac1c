import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where the Go sources of the control plane are. */
export const sourceFolder = import.meta.dirname;

/** Everything that decides what the binary is. */
export interface BuildRecipe {
  /** Where its Go sources are. */
  readonly sources: string;
  /** Such as `v1.36.3`, as go.mod asks for it. */
  readonly kubernetesVersion: string;
  /** Arguments of `go` up to, and without, the output. */
  readonly goArgs: readonly string[];
  /** Changes whenever the binary would: Kubernetes' version, platform and a hash over sources and flags. */
  readonly key: string;
}

/** Reads the recipe from the sources. */
export function readRecipe(folder = sourceFolder, platform = `${process.platform}-${process.arch}`): BuildRecipe {
  const names = globSync('{*.go,kubectl/*.go,go.mod,go.sum}', { cwd: folder });
  const sources = names.sort().map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const);
  const kubernetesVersion = findKubernetesVersion(sources.find(([name]) => name === 'go.mod')?.[1] ?? '', folder);
  const goArgs = ['build', '-v', '-trimpath', '-buildvcs=false', '-ldflags', linkerFlags(kubernetesVersion)];
  const hash = createHash('sha256')
    .update(JSON.stringify([sources, goArgs]))
    .digest('hex')
    .slice(0, 12);
  return { sources: folder, kubernetesVersion, goArgs, key: `${kubernetesVersion}-${platform}-${hash}` };
}

/** Where binaries are kept, outside the tree: a fresh clone on a machine that has built before starts at once. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  const own = env['DROVER_CACHE'];
  if (own !== undefined && own !== '') return join(own, 'control-plane');
  const xdg = env['XDG_CACHE_HOME'];
  return join(xdg === undefined || xdg === '' ? join(homedir(), '.cache') : xdg, 'drover', 'control-plane');
}

/** Kubernetes as a whole is v1.36.3 where its parts are v0.36.3. */
function findKubernetesVersion(goMod: string, folder: string): string {
  const whole = /^\s*k8s\.io\/kubernetes (v[\d.]+)$/m.exec(goMod)?.[1];
  const kubectl = /^\s*k8s\.io\/kubectl v0(\.[\d.]+)$/m.exec(goMod)?.[1];
  if (whole !== undefined) return whole;
  if (kubectl === undefined)
    throw new Error(`no version of k8s.io/kubernetes or k8s.io/kubectl in ${folder}/go.mod; restore the file`);
  return `v1${kubectl}`;
}

// Without these the server says that it is v0.0.0-master, and kubectl complains of the difference.
function linkerFlags(version: string): string {
  const [major, minor] = version.slice(1).split('.');
  const stamps = {
    gitVersion: version,
    gitMajor: major,
    gitMinor: minor,
    gitCommit: 'drover',
    gitTreeState: 'clean',
    buildDate: '2026-01-01T00:00:00Z',
  };
  const packages = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'];
  const flags = packages.flatMap((path) =>
    Object.entries(stamps).map(([name, value]) => `-X ${path}.${name}=${value}`),
  );
  return ['-s', '-w', ...flags].join(' ');
}
