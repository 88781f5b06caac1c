import type { UserInfo } from './write-request.ts';

const serviceAccount = /^system:serviceaccount:([^:]+):[^:]+$/;

/** Who sends a request: whom its bearer token names, since a token here is nothing but a name, or else whom the front names. */
export function userOf(
  authorization: string | undefined,
  fallback: { readonly user?: string; readonly groups?: readonly string[] } = {},
): UserInfo {
  const token = /^Bearer\s+(\S+)$/i.exec(authorization ?? '')?.[1];
  const username = token === undefined ? (fallback.user ?? 'system:admin') : token;
  if (token === undefined && fallback.groups !== undefined) return { username, groups: fallback.groups };
  return { username, groups: groupsOf(username) };
}

function groupsOf(username: string): string[] {
  const namespace = serviceAccount.exec(username)?.[1];
  if (namespace !== undefined) {
    return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  }
  return username === 'system:admin' ? ['system:masters', 'system:authenticated'] : ['system:authenticated'];
}
