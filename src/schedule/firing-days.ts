import type { CronFields } from './cron-fields.js';

const SUNDAY = 1;
const SATURDAY = 7;

interface Day {
  readonly date: number;
  readonly lastDate: number;
  /** 1 is Sunday, 7 is Saturday. */
  readonly weekday: number;
}

/**
 * The days on which a cron fires, as their midnights in UTC (epoch ms), from one day to another, both included. `step`
 * is 1 for later days, -1 for earlier ones.
 */
export function* firingDays(cron: CronFields, fromMs: number, toMs: number, step: 1 | -1): Generator<number> {
  let midnight = fromMs;
  while (step * (toMs - midnight) >= 0) {
    const date = new Date(midnight);
    const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
    const isInMonth = (cron.years === 'every' || cron.years.includes(year)) && cron.months.includes(month + 1);
    if (!isInMonth) {
      midnight = step > 0 ? Date.UTC(year, month + 1) : Date.UTC(year, month, 0);
      continue;
    }
    const lastDate = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
    if (isFiringDay(cron, { date: day, lastDate, weekday: date.getUTCDay() + 1 })) yield midnight;
    midnight = Date.UTC(year, month, day + step);
  }
}

function isFiringDay({ dayOfMonth, dayOfWeek, eitherDay }: CronFields, day: Day): boolean {
  const [inMonth, inWeek] = [isDayOfMonth(dayOfMonth, day), isDayOfWeek(dayOfWeek, day)];
  return eitherDay ? inMonth || inWeek : inMonth && inWeek;
}

function isDayOfMonth(items: readonly string[], day: Day): boolean {
  return items.some((item) => {
    if (item === '*') return true;
    if (item === 'L') return day.date === day.lastDate;
    if (item === 'LW') return day.date === nearestWeekday(day.lastDate, day);
    if (item.endsWith('W')) return day.date === nearestWeekday(Number(item.slice(0, -1)), day);
    return day.date === Number(item);
  });
}

function isDayOfWeek(items: readonly string[], { date, lastDate, weekday }: Day): boolean {
  return items.some((item) => {
    if (item === '*') return true;
    const [wanted, nth] = item.split('#').map(Number.parseFloat);
    if (weekday !== wanted) return false;
    if (item.endsWith('L')) return date + 7 > lastDate;
    return nth === undefined || nth === Math.ceil(date / 7);
  });
}

/** The weekday nearest a date, within the month; undefined when the month has no such date. */
function nearestWeekday(date: number, { lastDate, ...day }: Day): number | undefined {
  if (date > lastDate) return undefined;
  const weekday = ((((day.weekday - 1 + date - day.date) % 7) + 7) % 7) + 1;
  if (weekday === SATURDAY) return date === 1 ? 3 : date - 1;
  if (weekday === SUNDAY) return date === lastDate ? date - 2 : date + 1;
  return date;
}
