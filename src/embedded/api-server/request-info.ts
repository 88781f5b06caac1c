import { badRequest } from './status-error.ts';

/** What a path and a query ask for. */
export interface RequestInfo {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
}

/** Splits `/apis/apps/v1/namespaces/x/statefulsets/db/scale?...`. Undefined: not a path of resources. */
export function parseRequest(path: string): RequestInfo | undefined {
  const mark = path.indexOf('?');
  const query = new URLSearchParams(mark < 0 ? '' : path.slice(mark + 1));
  const steps = (mark < 0 ? path : path.slice(0, mark)).split('/').slice(1).map(decode);
  if (steps.at(-1) === '') steps.pop();
  const root = steps.shift();
  const group = root === 'api' ? '' : root === 'apis' ? steps.shift() : undefined;
  const version = steps.shift();
  if (group === undefined || version === undefined || steps.length === 0) return undefined;
  let namespace: string | undefined;
  // `/namespaces/x` names a namespace, `/namespaces/x/pods` what is in it, `/namespaces/x/status` a part of it.
  if (steps[0] === 'namespaces' && steps.length > 2 && !['status', 'finalize'].includes(steps[2] ?? '')) {
    namespace = steps[1];
    steps.splice(0, 2);
  }
  const [plural = '', name, subresource, ...more] = steps;
  if (more.length > 0) return undefined;
  return { group, version, plural, namespace, name, subresource, query };
}

function decode(step: string): string {
  try {
    return step.includes('%') ? decodeURIComponent(step) : step;
  } catch {
    return step;
  }
}

/** A whole number in the query, or undefined where there is none. Throws the API server's 400. */
export function queryInteger(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

/** A yes or no in the query; Go reads anything but 0 and false as yes. */
export function queryFlag(query: URLSearchParams, name: string): boolean {
  const text = query.get(name);
  return text !== null && text !== '' && text !== '0' && text.toLowerCase() !== 'false';
}

/** Whether the request is to change nothing. Throws the API server's refusal of any other value than `All`. */
export function isDryRun(values: readonly unknown[]): boolean {
  return values.length > 0 && values.every((value) => value === 'All');
}
