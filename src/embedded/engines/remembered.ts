/** The value of `work`, worked out again only when `key` gives something else than the last time: a model at rest is asked over and over. */
export function remembered<Value>(key: () => string | number, work: () => Value): () => Value {
  let known: { readonly key: string | number; readonly value: Value } | undefined;
  return () => {
    const now = key();
    if (known?.key !== now) known = { key: now, value: work() };
    return known.value;
  };
}
