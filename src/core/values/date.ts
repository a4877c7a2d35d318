const { getTime } = Date.prototype;

/**
 * Returns the epoch milliseconds of a Date; NaN for an invalid Date; undefined for any other value. A Date of another
 * realm counts, such as one of a frame or of the test runner. So does one that was made before a test replaced the
 * global `Date`. `instanceof` recognises neither.
 */
export function msOfDate(value: unknown): number | undefined {
  try {
    return getTime.call(value as Date);
  } catch {
    return undefined;
  }
}

/** Describes an object for an error. Says how to make an instant of an object of a date library, or of Temporal. */
export function describeObject(value: object): string {
  const maker = ['toDate', 'toJSDate'].find((method) => typeof Reflect.get(value, method) === 'function');
  if (maker !== undefined) return `an object whose ${maker}() is a Date`;
  return 'epochMilliseconds' in value ? 'an object whose epochMilliseconds is the instant' : 'an object';
}
