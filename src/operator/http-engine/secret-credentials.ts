import type { z } from 'zod';
import type { DeepReadonly } from '../../api/deep-readonly.ts';
import type { httpConnection } from '../../api/v1alpha1/engine-connections.schema.ts';
import { EngineUnreachable } from '../../engines/engine.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { Clock, MonotonicMillis } from '../../kube/clock.ts';
import { elapsed, minutes, seconds } from '../../kube/clock.ts';
import type { Credentials } from '../../kube/connection.ts';
import { isForbidden, isNotFound } from '../../kube/errors.ts';
import { secrets } from '../../kube/resources.ts';
import { names } from '../names.ts';

/** `spec.engine.http`, with every default in its place. */
export type HttpConnection = DeepReadonly<z.output<typeof httpConnection>>;

export interface SecretCredentialsOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly namespace: string;
  readonly connection: HttpConnection;
}

/** For so long Secrets are not read again. A token that the server refuses is read again at once. */
const goodFor = minutes(1);

/** Who we are to a server, from the Secrets that its connection names. Rejects with `EngineUnreachable` that says which of them lacks what. */
export class SecretCredentials {
  readonly #options: SecretCredentialsOptions;
  #known: { readonly credentials: Credentials; readonly at: MonotonicMillis } | undefined;

  constructor(options: SecretCredentialsOptions) {
    this.#options = options;
  }

  async credentials(renew = false): Promise<Credentials> {
    const { clock } = this.#options;
    if (!renew && this.#known !== undefined && elapsed(clock, this.#known.at) < goodFor) return this.#known.credentials;
    const at = clock.monotonic();
    const credentials = { headers: await this.#headers(), tls: await this.#tls() };
    this.#known = { credentials, at };
    return credentials;
  }

  async #headers(): Promise<Credentials['headers']> {
    const reference = this.#options.connection.bearerTokenSecretRef;
    if (reference === undefined) return {};
    const { name, key } = reference;
    const data = await this.#read(name, 'bearerTokenSecretRef');
    const token = data.get(key)?.trim();
    if (token === undefined) throw new EngineUnreachable(this.#lacks(name, key, data));
    // What is no token must not reach a header: Node would repeat it in its error.
    if (!/^[!-~]+$/.test(token))
      throw new EngineUnreachable(
        `the token in ${this.#secret(name)} (key ${key}) is empty or has spaces: write it anew`,
      );
    return { authorization: `Bearer ${token}` };
  }

  async #tls(): Promise<Credentials['tls']> {
    const { tlsSecretRef, tlsServerName } = this.#options.connection;
    const servername = tlsServerName === undefined ? {} : { servername: tlsServerName };
    if (tlsSecretRef === undefined) return servername;
    const { name } = tlsSecretRef;
    const data = await this.#read(name, 'tlsSecretRef');
    const [ca, cert, key] = [data.get('ca.crt'), data.get('tls.crt'), data.get('tls.key')];
    if (ca === undefined) throw new EngineUnreachable(this.#lacks(name, 'ca.crt', data));
    if ((cert === undefined) !== (key === undefined))
      throw new EngineUnreachable(this.#lacks(name, cert === undefined ? 'tls.crt' : 'tls.key', data));
    return { ...servername, ca, ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) };
  }

  async #read(name: string, field: string): Promise<ReadonlyMap<string, string>> {
    const { client, namespace } = this.#options;
    const call = { signal: new AbortController().signal, deadline: seconds(5) };
    try {
      const { data = {} } = await client.get(secrets, { namespace, name }, call);
      return new Map(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64').toString('utf8')]));
    } catch (error) {
      const named = `${this.#secret(name)}, which engine.http.${field} names`;
      if (isNotFound(error)) throw new EngineUnreachable(`${named}, does not exist: create it, or correct the name`);
      if (isForbidden(error))
        throw new EngineUnreachable(`Drover may not read ${named}: ${this.#permit}`, { cause: error });
      const why = error instanceof Error ? error.message : String(error);
      throw new EngineUnreachable(`${named}, cannot be read now (${why}): it is tried again`, { cause: error });
    }
  }

  get #permit(): string {
    const { secretsRole, serviceAccount, namespace } = names;
    const role = `--clusterrole=${secretsRole} --serviceaccount=${namespace}:${serviceAccount}`;
    return `kubectl create rolebinding ${secretsRole} -n ${this.#options.namespace} ${role}`;
  }

  #secret(name: string): string {
    return `the Secret ${this.#options.namespace}/${name}`;
  }

  #lacks(name: string, key: string, data: ReadonlyMap<string, string>): string {
    const has = data.size === 0 ? 'it is empty' : `it has ${[...data.keys()].sort().join(', ')}`;
    return `${this.#secret(name)} has no ${key} (${has}): add it`;
  }
}
