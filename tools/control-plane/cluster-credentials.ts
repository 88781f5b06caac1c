import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterUser } from './cluster-options.ts';
import { files, kubeconfigOf, type Part } from './command-lines.ts';
import { type Access, writeKubeconfig } from './kubeconfig.ts';

/** Secrets of one cluster: a token for every user by name. */
export type Tokens = ReadonlyMap<string, string>;

export const adminUser = 'admin';

// The parts act under the names that RBAC's bootstrap roles are bound to. kwok stands for all kubelets at once, which no role does.
const partUsers: readonly (ClusterUser & { readonly part: Part })[] = [
  { part: 'kube-controller-manager', name: 'system:kube-controller-manager' },
  { part: 'kube-scheduler', name: 'system:kube-scheduler' },
  { part: 'kwok', name: 'kwok', groups: ['system:masters'] },
];

/** Writes the token file and the key for service account tokens that the API server reads at its start. */
export function writeCredentials(dataFolder: string, users: readonly ClusterUser[]): Tokens {
  const everybody = [{ name: adminUser, groups: ['system:masters'] }, ...partUsers, ...users];
  const tokens = new Map(everybody.map(({ name }) => [name, randomBytes(16).toString('hex')]));
  writeFileSync(join(dataFolder, files.tokens), renderTokenFile(everybody, tokens), { mode: 0o600 });
  writeFileSync(join(dataFolder, files.serviceAccountKey), createSigningKey(), { mode: 0o600 });
  return tokens;
}

/** One line a user: token, name, uid, groups. */
export function renderTokenFile(users: readonly ClusterUser[], tokens: Tokens): string {
  return users
    .map(({ name, groups = [] }) => `${tokens.get(name)},"${name}","${name}","${groups.join(',')}"\n`)
    .join('');
}

/** Writes the kubeconfig of each part that needs one. */
export function writePartKubeconfigs(dataFolder: string, admin: Access, tokens: Tokens): void {
  for (const { part, name } of partUsers) {
    const token = tokens.get(name) ?? '';
    writeKubeconfig(join(dataFolder, kubeconfigOf(part)), { ...admin, user: part, token });
  }
}

function createSigningKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'sec1', format: 'pem' }).toString();
}
