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

/**
 * Whether a value is an error, also of another realm. In Jest the errors of Node's own modules are of another realm
 * than the test.
 */
export function isError(value: unknown): value is Error {
  return value instanceof Error || /^\[object (Error|DOMException)]$/.test(Object.prototype.toString.call(value));
}

/** Returns the name of a thrown error, or the type of another value. Unlike a message, it is safe to store and log. */
export function errorName(thrown: unknown): string {
  try {
    const name: unknown = isError(thrown) ? thrown.name : typeof thrown;
    return typeof name === 'string' && name !== '' ? name : 'Error';
  } catch {
    // Reading the name threw, so the error gets the general name.
    return 'Error';
  }
}
