/**
 * Returns the fields whose value is not undefined. If the result is spread into an object, undefined fields leave no
 * key there.
 */
export function defined<T extends object>(fields: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  // A loop, for speed: every run calls this twenty times.
  const present: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const key in fields) {
    const value = fields[key];
    if (value !== undefined) present[key] = value as Exclude<T[typeof key], undefined>;
  }
  return present;
}
