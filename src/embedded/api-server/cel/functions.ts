import { isObject, isString, type JsonValue, printed } from '../json.ts';
import { CelError } from './tokens.ts';

const missing = (name: string) => new CelError(`found no matching overload for '${name}'`);

/** `size(x)`, `type(x)` and the conversions. */
export function callFunction(name: string, given: readonly JsonValue[]): JsonValue {
  const [value = null] = given;
  switch (name) {
    case 'size':
      return sizeOf(value);
    case 'type':
      return `\0type:${typeOf(value)}`;
    case 'int':
      return Math.trunc(Number(value));
    case 'double':
      return Number(value);
    case 'string':
      return printed(value);
    case 'bool':
      return value === true || value === 'true';
    case 'dyn':
      return value;
    default:
      throw missing(name);
  }
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null_type';
  if (Array.isArray(value)) return 'list';
  if (isObject(value)) return 'map';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'double';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

function sizeOf(value: JsonValue): number {
  // CEL counts code points, JavaScript code units.
  if (isString(value)) return Array.from(value).length;
  if (Array.isArray(value)) return value.length;
  if (isObject(value)) return Object.keys(value).length;
  throw missing('size');
}

/** `x.name(...)`. */
export function callMethod(name: string, target: JsonValue, given: readonly JsonValue[]): JsonValue {
  if (name === 'size') return sizeOf(target);
  if (isString(target)) return callOnString(name, target, given);
  if (Array.isArray(target)) return callOnList(name, target, given);
  throw missing(name);
}

const patterns = new Map<string, RegExp>();

function patternOf(source: string): RegExp {
  let pattern = patterns.get(source);
  if (pattern === undefined) {
    pattern = new RegExp(source);
    patterns.set(source, pattern);
  }
  return pattern;
}

function callOnString(name: string, target: string, given: readonly JsonValue[]): JsonValue {
  const [first = '', second = ''] = given.map(String);
  switch (name) {
    case 'matches':
      return patternOf(first).test(target);
    case 'contains':
      return target.includes(first);
    case 'startsWith':
      return target.startsWith(first);
    case 'endsWith':
      return target.endsWith(first);
    case 'replace':
      return target.replaceAll(first, second);
    case 'split':
      return target.split(first);
    case 'lowerAscii':
      return target.toLowerCase();
    case 'upperAscii':
      return target.toUpperCase();
    case 'trim':
      return target.trim();
    case 'indexOf':
      return target.indexOf(first);
    default:
      throw missing(name);
  }
}

function callOnList(name: string, target: readonly JsonValue[], given: readonly JsonValue[]): JsonValue {
  const numbers = target.filter((each) => typeof each === 'number');
  switch (name) {
    case 'sum':
      return numbers.reduce((total, each) => total + each, 0);
    case 'min':
      return Math.min(...numbers);
    case 'max':
      return Math.max(...numbers);
    case 'join':
      return target.map(String).join(given.length === 0 ? '' : printed(given[0]));
    default:
      throw missing(name);
  }
}
