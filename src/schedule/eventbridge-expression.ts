import type { CronFields, Refuse } from './cron-fields.js';
import { readEventBridgeCron } from './eventbridge-cron.js';
import { firingDays } from './firing-days.js';

/** A schedule as both EventBridge's rules and EventBridge Scheduler write it. */
export type EventBridgeExpression =
  | { readonly kind: 'rate'; readonly everyMs: number }
  /** The time on the clock of the schedule's time zone, as if that were UTC. */
  | { readonly kind: 'at'; readonly wallMs: number }
  | { readonly kind: 'cron'; readonly cron: CronFields };

const UNIT_MS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** The first and the last day that EventBridge's years name, as midnights in UTC. */
export const FIRST_DAY_MS: number = Date.UTC(1970, 0, 1);
export const LAST_DAY_MS: number = Date.UTC(2199, 11, 31);

/**
 * Reads `rate(5 minutes)`, `cron(0 2 * * ? *)`, or Scheduler's `at(2026-01-01T02:00:00)`.
 *
 * @throws what `refuse` throws for an expression that EventBridge would not take, or whose days never come
 */
export function readEventBridge(expression: string, refuse: Refuse): EventBridgeExpression {
  const [, kind, text = ''] = /^(rate|at|cron)\((.*)\)$/.exec(expression) ?? [];
  switch (kind) {
    case 'rate':
      return { kind, everyMs: readRate(text, refuse) };
    case 'at':
      return { kind, wallMs: readDateTime(text, refuse) };
    case 'cron':
      return { kind, cron: withDays(readEventBridgeCron(text, refuse), refuse) };
    default:
      return refuse('give one such as cron(0 2 * * ? *), rate(5 minutes) or at(2026-01-01T02:00:00)');
  }
}

/** Milliseconds of `5 minutes`, `1 hour` or `2 days`, as EventBridge writes them. */
export function readRate(text: string, refuse: Refuse): number {
  const [, digits, unit = '', plural] =
    /^([1-9]\d*) (minute|hour|day)(s?)$/.exec(text) ??
    refuse('give a whole number from 1, one blank and minutes, hours or days, such as rate(5 minutes)');
  const count = Number(digits);
  if ((count === 1) !== (plural === '')) {
    const right = count === 1 ? `rate(1 ${unit})` : `rate(${digits} ${unit}s)`;
    return refuse(`EventBridge takes a singular unit with 1 and a plural with more; give ${right}`);
  }
  const ms = count * (UNIT_MS[unit] ?? Number.NaN);
  return Number.isSafeInteger(ms) ? ms : refuse('too long to count; give fewer');
}

function readDateTime(text: string, refuse: Refuse): number {
  const at = new Date(`${text}.000Z`);
  // The round trip refuses a 30th of February, which Date takes for the 1st of March.
  const isReal = !Number.isNaN(at.getTime()) && at.toISOString() === `${text}.000Z`;
  return isReal ? at.getTime() : refuse('give a date and time, such as at(2026-01-01T02:00:00)');
}

/** @throws what `refuse` throws for a cron that has no day to fire on, past or to come */
export function withDays(cron: CronFields, refuse: Refuse): CronFields {
  const { done } = firingDays(cron, FIRST_DAY_MS, LAST_DAY_MS, 1).next();
  return done ? refuse('never fires: no such day is in its months and years; give days that they have') : cron;
}
