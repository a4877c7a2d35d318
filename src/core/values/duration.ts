import { describe } from './checks.js';

/**
 * A span of time: milliseconds as a number, `'90s'`, `'15m'`, `'1h30m'`, `'250ms'`, `'1d'`, or ISO 8601 `'PT15M'`. A
 * bare `'10'` is refused because it has no unit.
 */
export type Duration = number | string;

const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;

const SHORT = /^(?:(\d+(?:\.\d+)?)d)?(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?$/;
const ISO = /^P(?:(\d+(?:\.\d+)?)D)?(?:T(?=\d)(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

/**
 * Returns the milliseconds of a duration, rounded to a whole number.
 *
 * @example
 * ```ts
 * import { parseDuration } from 'single-execution';
 *
 * parseDuration('1h30m'); // → 5400000
 * parseDuration('PT15M'); // → 900000
 * ```
 *
 * @param value the duration
 * @param option the name that error messages give to the value. @default 'duration'
 * @throws TypeError when the value is neither a number nor a readable string
 * @throws RangeError when the value is negative or not finite
 */
export function parseDuration(value: Duration, option = 'duration'): number {
  if (typeof value === 'number') {
    if (!Number.isFinite(value) || value < 0) {
      throw new RangeError(`${option} is ${value}: pass a finite number of milliseconds, 0 or more`);
    }
    return Math.round(value);
  }
  const parts = typeof value === 'string' && value !== '' ? (SHORT.exec(value) ?? ISO.exec(value)) : null;
  const units = Object.values(UNIT_MS);
  const ms = parts?.slice(1).reduce((sum, digits, i) => sum + Number(digits ?? 0) * (units[i] as number), 0);
  if (parts === null || ms === undefined || parts.slice(1).every((digits) => digits === undefined)) {
    throw new TypeError(
      typeof value === 'string' && /^\d{1,15}$/.test(value)
        ? `${option} is '${value}', which has no unit: write '${value}ms', '${value}s' or '${value}m'`
        : `${option} is ${describe(value)}: pass milliseconds as a number, or a string such as '90s', '15m', '1h30m' or 'PT15M'`,
    );
  }
  if (!Number.isFinite(ms)) throw new RangeError(`${option} is ${describe(value)}: too long to count`);
  return Math.round(ms);
}

/** Writes milliseconds for people: `1h30m`, `45s`, `250ms`. */
export function formatDuration(ms: number): string {
  let rest = Math.round(ms);
  let text = '';
  for (const [unit, size] of Object.entries(UNIT_MS)) {
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * size;
  }
  return text === '' ? '0ms' : text;
}
