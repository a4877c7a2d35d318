/** A property of a thrown value; undefined if it cannot be read. */
export function readThrown(thrown: unknown, property: PropertyKey): unknown {
  try {
    return (thrown as Readonly<Record<PropertyKey, unknown>> | null | undefined)?.[property];
  } catch {
    // Reading the property threw, so it counts as absent.
    return undefined;
  }
}

/** A property of a thrown value if it is a string, else the empty string. */
export function readThrownText(thrown: unknown, property: string): string {
  const value = readThrown(thrown, property);
  return typeof value === 'string' ? value : '';
}

/** The name of a thrown error, or the type of another value: safe to store and to log, unlike a message. */
export function errorName(thrown: unknown): string {
  try {
    const name: unknown = thrown instanceof Error ? thrown.name : typeof thrown;
    return typeof name === 'string' && name !== '' ? name : 'Error';
  } catch {
    // Reading the name threw, so the error gets the general name.
    return 'Error';
  }
}
