const decimal = /^(?:0|[1-9]\d*)$/;

/**
 * Whether version `a` is not newer than `b`. Resource versions are decimal numbers that may not fit a JavaScript number; since
 * Kubernetes 1.35 clients may compare them. Undefined where either one is something else: then nothing can be said.
 */
export function notNewer(a: string, b: string): boolean | undefined {
  if (!decimal.test(a) || !decimal.test(b)) return undefined;
  return a.length === b.length ? a <= b : a.length < b.length;
}
