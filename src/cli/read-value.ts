import { describe } from '../core/values/checks.js';
import { type Duration, parseDuration } from '../core/values/duration.js';
import { checkLockName } from '../core/values/names.js';
import type { Schedule } from '../core/values/tick.js';
import { readInstant } from '../core/wrap/trigger.js';
import { cron, eventBridge } from '../schedule/schedule.js';
import { wrongUse } from './exit-code.js';

/** Turns a library function's error for an invalid argument into wrong use of the command line. */
export function asked<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw wrongUse(error.message);
    throw error;
  }
}

/** The name of a lock. */
export function nameOf(operands: readonly string[]): string {
  return asked(() => checkLockName(operands[0]));
}

/** An instant: ISO 8601 with its offset, or epoch milliseconds. */
export function instantOf(option: string, text: string): Date {
  const ms = /^\d{13}$/.test(text) ? Number(text) : readInstant(text).tickMs;
  if (ms !== undefined) return new Date(ms);
  throw wrongUse(
    `${option} is ${describe(text)}: give an instant with its offset, such as 2026-11-21T02:00:00Z, or epoch milliseconds`,
  );
}

export function durationOf(option: string, text: string): number {
  return asked(() => parseDuration(text, option));
}

/** A whole number from `least` to `most`. */
export function wholeOf(option: string, text: string, least: number, most: number): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most && Number.isSafeInteger(value)) return value;
  throw wrongUse(`${option} is ${describe(text)}: give a whole number from ${least} to ${most}`);
}

/** A fencing token, as `show` prints it. */
export function tokenOf(text: string): number {
  return wholeOf('--token', text, 0, Number.MAX_SAFE_INTEGER);
}

/** A schedule: five or six fields of a crontab, an expression of EventBridge, or a duration. */
export function scheduleOf(text: string, timeZone: string | undefined): Schedule | Duration {
  const options = timeZone === undefined ? {} : { timeZone };
  const expression = text.trim();
  return asked(() => {
    if (/^[a-z]+\(/i.test(expression)) return eventBridge(expression, options);
    if (/\s/.test(expression) || /^@/.test(expression)) return cron(expression, options);
    parseDuration(expression, 'schedule');
    if (timeZone !== undefined) throw new TypeError(`--time-zone is for crons, and the schedule is ${describe(text)}`);
    return expression;
  });
}
