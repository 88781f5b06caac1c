const binary: Readonly<Record<string, bigint>> = { Ki: 1n, Mi: 2n, Gi: 3n, Ti: 4n, Pi: 5n, Ei: 6n };
const decimal: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const form = /^([+-]?)(\d*)(?:\.(\d*))?(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d{1,3})?$/;

/** The API server knows nothing beyond 2^63 units; longer texts only cost time. */
const longest = 64;
const mostZeros = 64;

/**
 * A Kubernetes quantity (`500m`, `1Gi`, `2e3`) in thousandths of its base unit: cores, bytes, pieces. Whole, so that sums are exact; what is
 * smaller than a thousandth is rounded up, as the API server does. Undefined where the text is no quantity.
 */
export function thousandths(quantity: string | number): bigint | undefined {
  const text = String(quantity);
  const match = text.length > longest ? null : form.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match;
  if (whole === '' && fraction === '') return undefined;
  const digits = BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}`);
  const steps = binary[suffix];
  if (steps !== undefined) return divideUp(digits * 1000n * 1024n ** steps, 10n ** BigInt(fraction.length));
  const power = decimal[suffix] ?? Number(suffix.slice(1));
  const zeros = power + 3 - fraction.length;
  if (Math.abs(zeros) > mostZeros) return undefined;
  return zeros >= 0 ? digits * 10n ** BigInt(zeros) : divideUp(digits, 10n ** BigInt(-zeros));
}

/** Away from zero. */
function divideUp(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by === 0n ? quotient : quotient + (value > 0n ? 1n : -1n);
}
