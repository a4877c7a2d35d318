import type { EventBridgeCron } from './eventbridge-cron.js';

const DAY_MS = 86_400_000;
const SUNDAY = 1;
const SATURDAY = 7;

interface Day {
  readonly date: number;
  readonly lastDate: number;
  /** 1 is Sunday, 7 is Saturday. */
  readonly weekday: number;
}

/** Midnights (UTC, epoch ms) of the days on which a cron fires in the years from `firstYear` to `lastYear`. */
export function calendarDays(cron: EventBridgeCron, firstYear: number, lastYear: number): number[] {
  const found: number[] = [];
  for (let midnight = Date.UTC(firstYear, 0); midnight < Date.UTC(lastYear + 1, 0); midnight += DAY_MS) {
    const date = new Date(midnight);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
    if (cron.years !== 'every' && !cron.years.includes(year)) continue;
    if (!cron.months.includes(month + 1)) continue;
    const day = {
      date: date.getUTCDate(),
      lastDate: new Date(Date.UTC(year, month + 1, 0)).getUTCDate(),
      weekday: date.getUTCDay() + 1,
    };
    if (isDayOfMonth(cron.dayOfMonth, day) && isDayOfWeek(cron.dayOfWeek, day)) found.push(midnight);
  }
  return found;
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
