/** An instant of the inner face (epoch milliseconds) as the public face shows it. */
export function dateOf(ms: number): Date;
export function dateOf(ms: number | undefined): Date | undefined;
export function dateOf(ms: number | undefined): Date | undefined {
  return ms === undefined ? undefined : new Date(ms);
}

/** Epoch milliseconds of a Date, NaN where it is none within; anything else as it is. */
export function msOf(value: unknown): unknown {
  try {
    return value instanceof Date ? value.getTime() : value;
  } catch {
    return Number.NaN;
  }
}
