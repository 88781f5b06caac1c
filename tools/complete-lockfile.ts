/**
 * `npm run complete-lockfile`, after a change of dependencies: adds to package-lock.json the binaries for other platforms that npm leaves out
 * when the registry at hand does not carry them. Without these lines `npm ci` refuses the file; with them it skips what is for another
 * platform without asking for it.
 */
import { readFileSync, writeFileSync } from 'node:fs';

interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const systems = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const processors = ['arm64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

const file = 'package-lock.json';
const lock: { packages: Record<string, LockedPackage> } = JSON.parse(readFileSync(file, 'utf8'));
let added = 0;
for (const owner of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(owner.optionalDependencies ?? {})) {
    if (`node_modules/${name}` in lock.packages) continue;
    lock.packages[`node_modules/${name}`] = platformPackage(name, version, owner.dev === true);
    added += 1;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([left], [right]) => (left < right ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${file}: ${added} packages for other platforms added`);

/** Such packages name their platform: `@biomejs/cli-linux-arm64-musl`. */
function platformPackage(
  name: string,
  version: string,
  dev: boolean,
): LockedPackage & Readonly<Record<string, unknown>> {
  const words = name.split(/[/-]/);
  const os = systems.find((system) => words.includes(system));
  const cpu = processors.find((processor) => words.includes(processor));
  if (cpu === undefined || (os === undefined && cpu !== 'wasm32')) {
    throw new Error(`${name} is missing in ${file} and does not name a platform: add it by hand`);
  }
  return {
    version,
    cpu: [cpu],
    ...(dev && { dev }),
    ...(os === 'linux' && { libc: [words.some((word) => word.startsWith('musl')) ? 'musl' : 'glibc'] }),
    optional: true,
    ...(os !== undefined && { os: [os] }),
  };
}
