/** The fields that have a value. Spread the result: a fact that is absent then leaves no key. */
export function defined<T extends object>(fields: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { readonly [K in keyof T]?: Exclude<T[K], undefined> };
}
