import { equal, isObject, isString, type JsonObject, type JsonValue, printed } from '../json.ts';
import { callFunction, callMethod } from './functions.ts';
import { CelError, type Token, tokenize } from './tokens.ts';

/** The variables of an expression. */
export type Variables = Readonly<Record<string, JsonValue>>;

/** An expression that was read once and is evaluated often. Throws `CelError` when it does not apply. */
export type Expression = (variables: Variables) => JsonValue;

const macros = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

/** Types are values in CEL; here they are texts that nobody writes by chance. */
const types = new Set(['int', 'uint', 'double', 'string', 'bool', 'list', 'map', 'null_type', 'bytes']);
export const typeValue = (name: string) => `\0type:${name}`;

/**
 * Reads the part of CEL that Drover's rules and webhook conditions use: operators, `has`, the comprehension macros, and the functions in
 * `functions.ts`. Throws `CelError` for anything else.
 */
export function compileCel(source: string): Expression {
  const parser = new Parser(tokenize(source));
  return parser.whole();
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Expression {
    const expression = this.#ternary();
    if (this.#peek().type !== 'end') throw new CelError(`unexpected ${JSON.stringify(this.#peek().text)}`);
    return expression;
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? { type: 'end', text: '' };
  }

  #next(): Token {
    const token = this.#peek();
    this.#at += 1;
    return token;
  }

  #take(...signs: readonly string[]): string | undefined {
    const { type, text } = this.#peek();
    const isWord = type === 'name' && text === 'in';
    if ((type !== 'sign' && !isWord) || !signs.includes(text)) return undefined;
    this.#at += 1;
    return text;
  }

  #expect(sign: string): void {
    if (this.#take(sign) === undefined)
      throw new CelError(`expected ${sign}, found ${JSON.stringify(this.#peek().text)}`);
  }

  #ternary(): Expression {
    const condition = this.#or();
    if (this.#take('?') === undefined) return condition;
    const yes = this.#or();
    this.#expect(':');
    const no = this.#ternary();
    return (variables) => (truth(condition(variables)) ? yes(variables) : no(variables));
  }

  #or(): Expression {
    let left = this.#and();
    while (this.#take('||') !== undefined) left = either(left, this.#and(), true);
    return left;
  }

  #and(): Expression {
    let left = this.#relation();
    while (this.#take('&&') !== undefined) left = either(left, this.#relation(), false);
    return left;
  }

  #relation(): Expression {
    let left = this.#sum();
    for (let sign = this.#take(...relations); sign !== undefined; sign = this.#take(...relations)) {
      left = relate(sign, left, this.#sum());
    }
    return left;
  }

  #sum(): Expression {
    let left = this.#product();
    for (let sign = this.#take('+', '-'); sign !== undefined; sign = this.#take('+', '-')) {
      left = calculate(sign, left, this.#product());
    }
    return left;
  }

  #product(): Expression {
    let left = this.#unary();
    for (let sign = this.#take('*', '/', '%'); sign !== undefined; sign = this.#take('*', '/', '%')) {
      left = calculate(sign, left, this.#unary());
    }
    return left;
  }

  #unary(): Expression {
    const sign = this.#take('!', '-');
    if (sign === undefined) return this.#member();
    const inner = this.#unary();
    return sign === '!' ? (variables) => !truth(inner(variables)) : (variables) => -number(inner(variables));
  }

  #member(): Expression {
    let target = this.#primary();
    for (;;) {
      if (this.#take('.') !== undefined) {
        const { type, text: name } = this.#next();
        if (type !== 'name') throw new CelError(`expected a name, found ${JSON.stringify(name)}`);
        target = this.#take('(') === undefined ? select(target, name) : this.#method(target, name);
      } else if (this.#take('[') !== undefined) {
        const index = this.#ternary();
        this.#expect(']');
        target = indexed(target, index);
      } else return target;
    }
  }

  #method(target: Expression, name: string): Expression {
    if (macros.has(name)) return this.#macro(target, name);
    const given = this.#list(')');
    return (variables) =>
      callMethod(
        name,
        target(variables),
        given.map((each) => each(variables)),
      );
  }

  #macro(target: Expression, name: string): Expression {
    const variable = this.#next().text;
    this.#expect(',');
    const [first, second] = this.#list(')');
    if (first === undefined) throw new CelError(`${name} needs an expression`);
    return (variables) =>
      comprehend(
        name,
        elements(target(variables)),
        (item, expression = first) => expression({ ...variables, [variable]: item }),
        second,
      );
  }

  #list(end: string): Expression[] {
    const found: Expression[] = [];
    if (this.#take(end) !== undefined) return found;
    for (;;) {
      found.push(this.#ternary());
      if (this.#take(end) !== undefined) return found;
      this.#expect(',');
    }
  }

  #primary(): Expression {
    const { type, text } = this.#next();
    switch (type) {
      case 'string':
        return () => text;
      case 'number':
        return () => Number(text);
      case 'name':
        return this.#named(text);
      case 'sign':
        return this.#bracketed(text);
      default:
        throw new CelError('the expression ends too soon');
    }
  }

  #bracketed(sign: string): Expression {
    if (sign === '(') {
      const inner = this.#ternary();
      this.#expect(')');
      return inner;
    }
    if (sign !== '[') throw new CelError(`unexpected ${JSON.stringify(sign)}`);
    const items = this.#list(']');
    return (variables) => items.map((item) => item(variables));
  }

  #named(name: string): Expression {
    if (name === 'true' || name === 'false') return () => name === 'true';
    if (name === 'null') return () => null;
    if (this.#take('(') === undefined) return variable(name);
    if (name !== 'has') {
      const given = this.#list(')');
      return (variables) =>
        callFunction(
          name,
          given.map((each) => each(variables)),
        );
    }
    const start = this.#at;
    const [chosen] = this.#list(')');
    const last = this.#tokens[this.#at - 2];
    if (chosen === undefined || last === undefined) throw new CelError('has() needs a field');
    return this.#presence(start, last.text);
  }

  /** `has(a.b.c)`: whether `a.b` has `c`. Reads the same tokens again, without the last step. */
  #presence(start: number, name: string): Expression {
    const parent = new Parser([...this.#tokens.slice(start, this.#at - 3), { type: 'end', text: '' }]).whole();
    return (variables) => {
      const owner = parent(variables);
      return isObject(owner) && owner[name] !== undefined;
    };
  }
}

const relations = ['==', '!=', '<', '<=', '>', '>=', 'in'];

function variable(name: string): Expression {
  return (variables) => {
    const value = variables[name];
    if (value !== undefined) return value;
    if (types.has(name)) return typeValue(name);
    throw new CelError(`undeclared reference to '${name}'`);
  };
}

function select(target: Expression, name: string): Expression {
  return (variables) => {
    const owner = target(variables);
    const value = isObject(owner) ? owner[name] : undefined;
    if (value === undefined) throw new CelError(`no such key: ${name}`);
    return value;
  };
}

function indexed(target: Expression, index: Expression): Expression {
  return (variables) => {
    const owner = target(variables);
    const key = index(variables);
    const value =
      Array.isArray(owner) && typeof key === 'number'
        ? owner[key]
        : isObject(owner) && isString(key)
          ? owner[key]
          : undefined;
    if (value === undefined) throw new CelError(`no such key: ${printed(key)}`);
    return value;
  };
}

/** `||` and `&&`: an error on one side does not matter when the other side decides. */
function either(left: Expression, right: Expression, decisive: boolean): Expression {
  return (variables) => {
    let failure: unknown;
    try {
      if (truth(left(variables)) === decisive) return decisive;
    } catch (error) {
      failure = error;
    }
    if (truth(right(variables)) === decisive) return decisive;
    if (failure !== undefined) throw failure;
    return !decisive;
  };
}

function relate(sign: string, left: Expression, right: Expression): Expression {
  return (variables) => {
    const a = left(variables);
    const b = right(variables);
    switch (sign) {
      case '==':
        return equal(a, b);
      case '!=':
        return !equal(a, b);
      case 'in':
        return Array.isArray(b) ? b.some((each) => equal(each, a)) : isObject(b) && isString(a) && b[a] !== undefined;
      default:
        return compare(sign, a, b);
    }
  };
}

function compare(sign: string, a: JsonValue, b: JsonValue): boolean {
  const sameType = typeof a === typeof b && (typeof a === 'number' || typeof a === 'string');
  if (!sameType || a === null || b === null) throw new CelError(`no such overload: ${sign}`);
  if (sign === '<') return a < b;
  if (sign === '<=') return a <= b;
  return sign === '>' ? a > b : a >= b;
}

function calculate(sign: string, left: Expression, right: Expression): Expression {
  return (variables) => {
    const a = left(variables);
    const b = right(variables);
    if (sign === '+' && isString(a) && isString(b)) return a + b;
    if (sign === '+' && Array.isArray(a) && Array.isArray(b)) return [...a, ...b];
    const [x, y] = [number(a), number(b)];
    if (sign === '+') return x + y;
    if (sign === '-') return x - y;
    if (sign === '*') return x * y;
    if (y === 0) throw new CelError('division by zero');
    return sign === '/' ? Math.trunc(x / y) : x % y;
  };
}

type Test = (item: JsonValue, expression?: Expression) => JsonValue;

function comprehend(name: string, items: readonly JsonValue[], test: Test, second: Expression | undefined): JsonValue {
  switch (name) {
    case 'all':
      return items.every((item) => truth(test(item)));
    case 'exists':
      return items.some((item) => truth(test(item)));
    case 'exists_one':
      return items.filter((item) => truth(test(item))).length === 1;
    case 'filter':
      return items.filter((item) => truth(test(item)));
    default:
      return second === undefined
        ? items.map((item) => test(item))
        : items.filter((item) => truth(test(item))).map((item) => test(item, second));
  }
}

/** What a comprehension goes over: the items of a list, the keys of a map. */
function elements(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  if (isObject(value)) return Object.keys(value satisfies JsonObject);
  throw new CelError('no such overload: a list or a map was expected');
}

function truth(value: JsonValue): boolean {
  if (typeof value !== 'boolean') throw new CelError('no such overload: a bool was expected');
  return value;
}

function number(value: JsonValue): number {
  if (typeof value !== 'number') throw new CelError('no such overload: a number was expected');
  return value;
}
