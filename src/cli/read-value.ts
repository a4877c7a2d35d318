import type { Duration, Schedule } from '../index.js';
import { instantIn, readSchedule } from '../operate/times.js';
import { quoted, wrongUse } from './exit-code.js';
import type { CommandLine } from './option.js';

/** The values of the options that are given. `fields` names the field of each option. */
export function given<F extends string>(
  line: Pick<CommandLine, 'text'>,
  fields: Readonly<Record<string, F>>,
): { readonly [field in F]?: string } {
  const values = Object.entries(fields).map(([option, field]) => [field, line.text(option)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as { readonly [field in F]?: string };
}

/** An instant: ISO 8601 with its offset, or epoch milliseconds. */
export function instantOf(option: string, text: string): Date {
  const instant = instantIn(text);
  if (instant) return instant;
  throw wrongUse(
    `${option} is ${quoted(text)}: pass an instant with its offset, such as 2026-11-21T02:00:00Z, or epoch milliseconds`,
  );
}

/** A whole number from `least` to `most`. */
export function wholeOf(option: string, text: string, least: number, most: number): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most && Number.isSafeInteger(value)) return value;
  throw wrongUse(`${option} is ${quoted(text)}: pass a whole number from ${least} to ${most}`);
}

/** A fencing token, as `show` prints it. */
export function tokenOf(text: string): number {
  return wholeOf('--token', text, 0, Number.MAX_SAFE_INTEGER);
}

/**
 * A schedule: five or six fields of a crontab, an expression of EventBridge, a duration, or a text of a record.
 *
 * @throws TypeError, RangeError for any other text
 */
export function scheduleOf(text: string, timeZone: string | undefined): Schedule | Duration {
  const schedule = readSchedule(text.trim(), timeZone);
  if (typeof schedule === 'object' || timeZone === undefined) return schedule;
  throw wrongUse(`--time-zone is for crons, and the schedule is ${quoted(text)}`);
}
