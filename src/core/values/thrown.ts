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

/**
 * Returns the code and the address of the deepest cause of a thrown error, such as `ECONNREFUSED 127.0.0.1:6379`; the
 * empty string if it has neither. A client's message is left out: it may contain a secret.
 */
export function causeWords(thrown: unknown): string {
  let words = '';
  let cause = readThrown(thrown, 'cause');
  for (let depth = 0; cause && depth < 9; depth++) {
    const code = readThrownText(cause, 'code');
    const host = readThrownText(cause, 'address') || readThrownText(cause, 'hostname');
    const port = readThrown(cause, 'port');
    const found = /^\w{2,60}$/.test(code) ? [code] : [];
    if (/^[\w.:-]{1,253}$/.test(host)) found.push(Number.isInteger(port) ? `${host}:${port}` : host);
    words = found.join(' ') || words;
    // A host with several addresses has an error for each.
    const [first] = [readThrown(cause, 'errors')].flat();
    cause = readThrown(cause, 'cause') ?? first;
  }
  return words;
}

/** The key of an error that stands for the error of a client, without its message. */
const LEFT_OUT: unique symbol = Symbol.for('single-execution.left-out.1');

/** Marks an error whose message only says why the message of a client is left out. @returns the same error */
export function leavingOut<E extends Error>(error: E): E {
  return Object.defineProperty(error, LEFT_OUT, { value: true });
}

/** Whether the message of an error only says why the message of a client is left out. */
export function isLeftOut(error: unknown): boolean {
  return readThrown(error, LEFT_OUT) === true;
}
