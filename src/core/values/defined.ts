/** The fields that have a value. Spread the result: an absent fact then leaves no key. */
export function defined<T extends object>(fields: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  // A loop, because every run calls this twenty times.
  const present: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const key in fields) {
    const value = fields[key];
    if (value !== undefined) present[key] = value as Exclude<T[typeof key], undefined>;
  }
  return present;
}
