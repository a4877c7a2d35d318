/** Reads a property of a thrown value; undefined if the property cannot be read. */
export function readThrown(thrown: unknown, property: PropertyKey): unknown {
  try {
    return (thrown as Readonly<Record<PropertyKey, unknown>> | null | undefined)?.[property];
  } catch {
    // Reading the property threw, so it counts as absent.
    return undefined;
  }
}

/** Reads a property of a thrown value. Returns the empty string unless the property is a string. */
export function readThrownText(thrown: unknown, property: string): string {
  const value = readThrown(thrown, property);
  return typeof value === 'string' ? value : '';
}

/** Returns the name of a thrown error, or the type of another value. Unlike a message, it is safe to store and log. */
export function errorName(thrown: unknown): string {
  try {
    const name: unknown = thrown instanceof Error ? thrown.name : typeof thrown;
    return typeof name === 'string' && name !== '' ? name : 'Error';
  } catch {
    // Reading the name threw, so the error gets the general name.
    return 'Error';
  }
}
