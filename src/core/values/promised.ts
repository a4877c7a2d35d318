import { readThrown } from './thrown.js';

/*
 * A caller's function may return a promise that this library does not await. If nobody handles its rejection, Node ends
 * the process.
 */

/** Ignores how a promise ends, if the value is one. */
export function unawaited(value: unknown): void {
  if (typeof value === 'object' && value !== null) Promise.resolve(value).catch(() => undefined);
}

/**
 * Returns what a caller's function has returned.
 *
 * @param what the function, for the error
 * @throws TypeError for a promise
 */
export function atOnce<T>(value: T, what: string): T {
  if (typeof readThrown(value, 'then') !== 'function') return value;
  unawaited(value);
  throw new TypeError(`${what} returned a promise: return the value itself, without async`);
}
