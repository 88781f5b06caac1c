import { at, isObject, isString, type JsonObject, type JsonValue, listAt, objectAt, printed, textAt } from './json.ts';
import { badRequest } from './status-error.ts';

type Labels = Readonly<Record<string, JsonValue | undefined>>;

/** Whether labels are selected. */
export type LabelMatch = (labels: Labels) => boolean;

/** Of an object, the labels; never undefined. */
export const labelsOf = (object: JsonObject): Labels => objectAt(object, 'metadata', 'labels');

const everything: LabelMatch = () => true;

/** A `LabelSelector` as objects hold it: absent selects nothing, empty selects everything. */
export function matchLabelSelector(selector: JsonValue | undefined): LabelMatch {
  if (!isObject(selector)) return () => false;
  const pairs = Object.entries(objectAt(selector, 'matchLabels'));
  const expressions = listAt(selector, 'matchExpressions').map((expression) =>
    matchExpression(
      textAt(expression, 'key'),
      textAt(expression, 'operator'),
      listAt(expression, 'values').filter(isString),
    ),
  );
  return (labels) =>
    pairs.every(([key, value]) => labels[key] === value) && expressions.every((matches) => matches(labels));
}

function matchExpression(key: string, operator: string, values: readonly string[]): LabelMatch {
  const has = (labels: Labels) => {
    const value = labels[key];
    return isString(value) && values.includes(value);
  };
  switch (operator.toLowerCase()) {
    case 'in':
    case '=':
    case '==':
      return has;
    case 'notin':
    case '!=':
      return (labels) => !has(labels);
    case 'exists':
      return (labels) => labels[key] !== undefined;
    case 'doesnotexist':
      return (labels) => labels[key] === undefined;
    case 'gt':
    case 'lt': {
      const than = Number(values[0]);
      return (labels) => {
        const value = labels[key];
        if (!isString(value) || !/^-?\d+$/.test(value)) return false;
        return operator.toLowerCase() === 'gt' ? Number(value) > than : Number(value) < than;
      };
    }
    default:
      return () => false;
  }
}

/** A selector as a query holds it: `app=db,tier in (a, b),!old`. Throws the API server's 400. */
export function parseLabelSelector(text: string): LabelMatch {
  if (text.trim() === '') return everything;
  const tokens = tokenize(text);
  const matches: LabelMatch[] = [];
  for (;;) {
    matches.push(parseRequirement(tokens));
    const next = tokens.shift();
    if (next === undefined) break;
    if (next !== ',') throw parseFault(`found '${next}', expected: ',' or 'end of string'`);
    if (tokens.length === 0) throw parseFault("found '', expected: identifier after ','");
  }
  return matches.length === 1 ? (matches[0] ?? everything) : (labels) => matches.every((match) => match(labels));
}

function tokenize(text: string): string[] {
  return text.match(/==|!=|[=!(),<>]|[^\s=!(),<>]+/g) ?? [];
}

const operators = 'in, notin, =, ==, !=, gt, lt';

function parseRequirement(tokens: string[]): LabelMatch {
  let key = tokens.shift() ?? '';
  if (key === '!') {
    key = tokens.shift() ?? '';
    return matchExpression(key, 'doesnotexist', []);
  }
  if (key === '' || /^[=!(),<>]/.test(key))
    throw badRequest(`found '${key}', expected: !, identifier, or 'end of string'`);
  const operator = tokens[0];
  if (operator === undefined || operator === ',') return matchExpression(key, 'exists', []);
  tokens.shift();
  switch (operator) {
    case '=':
    case '==':
    case '!=':
      return matchExpression(key, operator, [parseValue(tokens)]);
    case '>':
      return matchExpression(key, 'gt', [parseValue(tokens)]);
    case '<':
      return matchExpression(key, 'lt', [parseValue(tokens)]);
    case 'in':
    case 'notin':
      return matchExpression(key, operator, parseValues(tokens));
    default:
      throw parseFault(`found '${operator}', expected: ${operators}`);
  }
}

function parseValue(tokens: string[]): string {
  const next = tokens[0];
  if (next === undefined || next === ',') return '';
  tokens.shift();
  return next;
}

function parseValues(tokens: string[]): string[] {
  const open = tokens.shift();
  if (open !== '(') throw parseFault(`found '${open ?? ''}' expected: '('`);
  const values: string[] = [];
  for (let token = tokens.shift(); token !== ')'; token = tokens.shift()) {
    if (token === undefined) throw parseFault("found '', expected: ',' or ')'");
    if (token !== ',') values.push(token);
  }
  return values;
}

const parseFault = (detail: string) => badRequest(`unable to parse requirement: ${detail}`);

/** The text form of a selector that an object holds, as tables and `scale` write it. */
export function formatLabelSelector(selector: JsonValue | undefined, none = '<none>'): string {
  const pairs = Object.entries(objectAt(selector, 'matchLabels'))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${printed(value)}`);
  const expressions = listAt(selector, 'matchExpressions').map((expression) => {
    const key = textAt(expression, 'key');
    const values = `(${listAt(expression, 'values').map(String).sort().join(',')})`;
    switch (at(expression, 'operator')) {
      case 'In':
        return `${key} in ${values}`;
      case 'NotIn':
        return `${key} notin ${values}`;
      case 'Exists':
        return key;
      default:
        return `!${key}`;
    }
  });
  const all = [...pairs, ...expressions];
  return all.length === 0 ? none : all.join(',');
}
