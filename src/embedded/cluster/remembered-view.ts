import type { JsonObject } from '../api-server/json.ts';

/** Reads an object once for each of its versions: what is in the store never changes. */
export function rememberedView<View>(read: (object: JsonObject) => View): (object: JsonObject) => View {
  const known = new WeakMap<JsonObject, { readonly view: View }>();
  return (object) => {
    const before = known.get(object);
    if (before !== undefined) return before.view;
    const view = read(object);
    known.set(object, { view });
    return view;
  };
}
