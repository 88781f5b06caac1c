/**
 * Kubernetes quantities: `500m`, `1Gi`, `2e3`. Kept in thousandths as a bigint: exact for everything but fractions below a thousandth, which
 * the API server rounds up as well when it compares.
 */
export interface Quantity {
  readonly milli: bigint;
  readonly format: 'decimal' | 'binary' | 'exponent';
}

const binary: Readonly<Record<string, number>> = { Ki: 1, Mi: 2, Gi: 3, Ti: 4, Pi: 5, Ei: 6 };
const decimal: Readonly<Record<string, number>> = { n: -3, u: -2, m: -1, '': 0, k: 1, M: 2, G: 3, T: 4, P: 5, E: 6 };
const form = /^([+-]?)(\d*)(?:\.(\d*))?(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d+)?$/;

/** Undefined where the text is no quantity. */
export function parseQuantity(text: string | number): Quantity | undefined {
  const match = form.exec(String(text));
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match;
  if (whole === '' && fraction === '') return undefined;
  const digits = BigInt(`${whole}${fraction}` || '0') * (sign === '-' ? -1n : 1n);
  const steps = binary[suffix];
  if (steps !== undefined) {
    return {
      milli: divideUp(digits * 1000n * 1024n ** BigInt(steps), 10n ** BigInt(fraction.length)),
      format: 'binary',
    };
  }
  const isExponent = /^[eE][+-]?\d/.test(suffix);
  const power = isExponent ? Number(suffix.slice(1)) : 3 * (decimal[suffix] ?? 0);
  const exponent = power + 3 - fraction.length;
  const milli = exponent >= 0 ? digits * 10n ** BigInt(exponent) : divideUp(digits, 10n ** BigInt(-exponent));
  return { milli, format: isExponent ? 'exponent' : 'decimal' };
}

/** The canonical form, as the API server writes it back: the largest suffix that leaves a whole number. */
export function formatQuantity({ milli, format }: Quantity): string {
  if (milli === 0n) return '0';
  if (format === 'binary' && milli % 1000n === 0n && (milli >= 1024000n || milli <= -1024000n)) {
    let value = milli / 1000n;
    let step = 0;
    while (value % 1024n === 0n && step < 6) {
      value /= 1024n;
      step += 1;
    }
    return `${value}${['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'][step]}`;
  }
  let value = milli;
  let power = -1;
  while (value % 1000n === 0n && power < 6) {
    value /= 1000n;
    power += 1;
  }
  if (format === 'exponent') return power === 0 ? String(value) : `${value}e${power * 3}`;
  return `${value}${['m', '', 'k', 'M', 'G', 'T', 'P', 'E'][power + 1]}`;
}

export const addQuantities = (a: Quantity, b: Quantity): Quantity => ({ milli: a.milli + b.milli, format: a.format });

export const zeroQuantity: Quantity = { milli: 0n, format: 'decimal' };

function divideUp(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by === 0n ? quotient : quotient + (value > 0n ? 1n : -1n);
}
