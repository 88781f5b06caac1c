import { renameSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';

/** What a client needs to reach an API server as somebody. */
export interface Access {
  readonly url: string;
  /** PEM of the authority that signed the server's certificate. */
  readonly authority: string;
  /** Only names the entry in the kubeconfig; who the client is, the token says. */
  readonly user: string;
  readonly token: string;
}

/** The text of a kubeconfig that carries everything in itself: no path in it can break when it is moved. */
export function renderKubeconfig(access: Access): string {
  const context = `${access.user}@drover`;
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'drover', cluster: { server: access.url, 'certificate-authority-data': encodePem(access.authority) } },
    ],
    users: [{ name: access.user, user: { token: access.token } }],
    contexts: [{ name: context, context: { cluster: 'drover', user: access.user } }],
    'current-context': context,
  });
}

/** Writes it for its owner alone. A kubectl that is reading an older one sees that one or this: an empty one it takes for no cluster at all. */
export function writeKubeconfig(path: string, access: Access): void {
  writeFileSync(`${path}.new`, renderKubeconfig(access), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** PEM in the form in which a kubeconfig or a webhook's `caBundle` carries it. */
export function encodePem(pem: string): string {
  return Buffer.from(pem).toString('base64');
}
