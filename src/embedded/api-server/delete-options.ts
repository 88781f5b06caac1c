import {
  at,
  isObject,
  isString,
  type JsonObject,
  type JsonValue,
  listAt,
  numberAt,
  objectAt,
  parseJson,
  textAt,
} from './json.ts';
import { isDryRun, queryInteger } from './request-info.ts';
import { badRequest } from './status-error.ts';

/** How an object is to be deleted. */
export interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly propagation: 'Orphan' | 'Background' | 'Foreground' | undefined;
  readonly dryRun: boolean;
}

export const plainDelete: DeleteOptions = {
  gracePeriodSeconds: undefined,
  uid: undefined,
  resourceVersion: undefined,
  propagation: undefined,
  dryRun: false,
};

/** From the body, or from the query where there is no body, as the API server does. */
export function readDeleteOptions(body: string | undefined, query: URLSearchParams): DeleteOptions {
  if (body === undefined || body === '') {
    return {
      ...plainDelete,
      gracePeriodSeconds: queryInteger(query, 'gracePeriodSeconds'),
      propagation: propagationOf(query.get('propagationPolicy') ?? undefined, query.get('orphanDependents')),
      dryRun: isDryRun(query.getAll('dryRun')),
    };
  }
  const parsed = parseJson(body);
  if (!isObject(parsed)) throw badRequest('the body of a delete must be DeleteOptions');
  // Who sends a body has said everything: the query is not looked at, not even for a dry run.
  return deleteOptionsOf(parsed);
}

/** As they stand in an object, such as an Eviction. */
export function deleteOptionsOf(options: JsonObject): DeleteOptions {
  const preconditions = objectAt(options, 'preconditions');
  return {
    gracePeriodSeconds: numberAt(options, 'gracePeriodSeconds'),
    uid: textAt(preconditions, 'uid') || undefined,
    resourceVersion: textAt(preconditions, 'resourceVersion') || undefined,
    propagation: propagationOf(at(options, 'propagationPolicy'), at(options, 'orphanDependents')),
    dryRun: isDryRun(listAt(options, 'dryRun')),
  };
}

function propagationOf(policy: JsonValue | undefined, orphan: JsonValue | undefined): DeleteOptions['propagation'] {
  if (orphan === true || orphan === 'true') return 'Orphan';
  if (orphan === false || orphan === 'false') return 'Background';
  if (!isString(policy)) return undefined;
  return policy === 'Orphan' || policy === 'Foreground' || policy === 'Background' ? policy : undefined;
}
