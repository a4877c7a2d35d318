/** The fields that have a value; to be spread, so that an absent fact leaves no key behind. */
export function defined<T extends object>(fields: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { readonly [K in keyof T]?: Exclude<T[K], undefined> };
}
