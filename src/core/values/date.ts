/**
 * Returns the epoch milliseconds of a Date; NaN for an invalid Date; undefined for any other value. A Date of another
 * realm counts, such as one of a frame or of the test runner. So does one that was made before a test replaced the
 * global `Date`. `instanceof` recognises neither.
 */
export function msOfDate(value: unknown): number | undefined {
  try {
    return Date.prototype.getTime.call(value);
  } catch {
    return undefined;
  }
}

/** Describes an object for an error. Names the member of an object of a date library, or of Temporal, to use instead. */
export function describeObject(value: object): string {
  const instant = ['toDate', 'toJSDate', 'epochMilliseconds'].find((member) => member in value);
  return instant ? `an object (use its ${instant})` : 'an object';
}
