/** An instant of the inner face (epoch milliseconds) as the public face shows it. */
export function dateOf(ms: number): Date;
export function dateOf(ms: number | undefined): Date | undefined;
export function dateOf(ms: number | undefined): Date | undefined {
  return ms === undefined ? undefined : new Date(ms);
}
