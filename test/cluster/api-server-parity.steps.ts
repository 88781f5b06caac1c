import { isObject, type JsonObject, type JsonValue } from '../../src/embedded/api-server/json.ts';
import { type ParityAnswer, patchTypes, type Step } from './api-server-parity.harness.ts';

/** A story that both servers must tell alike. Its steps run in a namespace of its own. */
export interface Scenario {
  readonly name: string;
  readonly steps: (namespace: string) => readonly Step[];
}

export const scenario = (name: string, steps: Scenario['steps']): Scenario => ({ name, steps });

export const get = (path: string): Step => ({ method: 'GET', path });
export const post = (path: string, body: Step['body'] & {}): Step => ({ method: 'POST', path, body });
export const put = (path: string, body: Step['body'] & {}): Step => ({ method: 'PUT', path, body });
export const patch = (path: string, type: keyof typeof patchTypes, body: JsonValue): Step => ({
  method: 'PATCH',
  path,
  body,
  type: patchTypes[type],
});
export const remove = (path: string, body?: JsonValue): Step => ({
  method: 'DELETE',
  path,
  ...(body !== undefined && { body }),
});

/** The object that an earlier step answered with, changed. */
export function earlier(
  index: number,
  change: (object: JsonObject) => JsonObject,
): (answers: readonly ParityAnswer[]) => JsonValue {
  return (answers) => {
    const body = answers[index]?.body;
    return isObject(body) ? change(body) : {};
  };
}

export const cm = (ns: string, name = '') => `/api/v1/namespaces/${ns}/configmaps${name === '' ? '' : `/${name}`}`;
export const po = (ns: string, name = '') => `/api/v1/namespaces/${ns}/pods${name === '' ? '' : `/${name}`}`;
export const pdb = (ns: string, name = '') =>
  `/apis/policy/v1/namespaces/${ns}/poddisruptionbudgets${name === '' ? '' : `/${name}`}`;
export const core = (ns: string, plural: string, name = '') =>
  `/api/v1/namespaces/${ns}/${plural}${name === '' ? '' : `/${name}`}`;
export const apps = (ns: string, plural: string, name = '') =>
  `/apis/apps/v1/namespaces/${ns}/${plural}${name === '' ? '' : `/${name}`}`;
export const drains = (name = '') => `/apis/drover.dev/v1alpha1/nodedrains${name === '' ? '' : `/${name}`}`;

/** A pod template with nothing special. */
export const template: JsonObject = {
  metadata: { labels: { a: 'b' } },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};
