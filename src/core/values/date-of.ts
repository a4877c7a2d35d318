/** An instant as callers see it. Inside the library, instants are epoch milliseconds. */
export function dateOf(ms: number): Date;
export function dateOf(ms: number | undefined): Date | undefined;
export function dateOf(ms: number | undefined): Date | undefined {
  return ms === undefined ? undefined : new Date(ms);
}

/** The epoch milliseconds of a Date, NaN for an invalid one. Any other value is returned unchanged. */
export function msOf(value: unknown): unknown {
  try {
    return value instanceof Date ? value.getTime() : value;
  } catch {
    return Number.NaN;
  }
}
