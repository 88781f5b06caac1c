import { isString, type JsonValue, listAt, textAt } from '../../api-server/json.ts';
import type { NodeView } from '../node-view.ts';

/** Whether a node matches one of the terms; a term without requirements matches nothing, as in the API. */
export function matchesTerms(terms: readonly JsonValue[], node: NodeView): boolean {
  return terms.some((term) => {
    const expressions = listAt(term, 'matchExpressions');
    const fields = listAt(term, 'matchFields');
    if (expressions.length === 0 && fields.length === 0) return false;
    return (
      expressions.every((each) => matches(each, node.labels[textAt(each, 'key')])) &&
      fields.every((each) => textAt(each, 'key') === 'metadata.name' && matches(each, node.name))
    );
  });
}

function matches(requirement: JsonValue, value: string | undefined): boolean {
  const values = listAt(requirement, 'values').filter(isString);
  switch (textAt(requirement, 'operator')) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return value !== undefined && Number(value) > Number(values[0]);
    case 'Lt':
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}
