import {
  type CronFields,
  DAY_NAMES,
  DAY_OF_MONTH,
  daysOfMonth,
  daysOfWeek,
  type Field,
  HOURS,
  MINUTES,
  MONTH,
  type Refuse,
  valuesOf,
  YEAR,
} from './cron-fields.js';

const DAY_OF_WEEK: Field = {
  name: 'day-of-week',
  first: 1,
  last: 7,
  takes: '1-7 (1 is Sunday) or SUN-SAT, L, 6L or 3#2',
  names: DAY_NAMES,
};

const FIELDS = [MINUTES, HOURS, DAY_OF_MONTH, MONTH, DAY_OF_WEEK, YEAR].map(({ name }) => name).join(' ');

/**
 * Reads what stands between the brackets of EventBridge's `cron(...)`.
 *
 * @throws what `refuse` throws for text that EventBridge would not take
 */
export function readEventBridgeCron(text: string, refuse: Refuse): CronFields {
  const fields = text.toUpperCase().match(/\S+/g) ?? [];
  const [minutes = '', hours = '', dayOfMonth = '', month = '', dayOfWeek = '', year = ''] = fields;
  if (fields.length !== 6) {
    const count = `${fields.length} ${fields.length === 1 ? 'field' : 'fields'}`;
    return refuse(`has ${count}; EventBridge's cron has six: ${FIELDS}, such as cron(0 2 * * ? *)`);
  }
  if ((dayOfMonth === '?') === (dayOfWeek === '?')) {
    const days = `${DAY_OF_MONTH.name} is '${dayOfMonth}' and ${DAY_OF_WEEK.name} is '${dayOfWeek}'`;
    return refuse(`${days}; exactly one of them must be ?, such as cron(0 2 * * ? *) or cron(0 2 ? * MON-FRI *)`);
  }
  return {
    seconds: [0],
    minutes: valuesOf(minutes, MINUTES, refuse),
    hours: valuesOf(hours, HOURS, refuse),
    dayOfMonth: dayOfMonth === '?' ? ['*'] : daysOfMonth(dayOfMonth, refuse),
    months: valuesOf(month, MONTH, refuse),
    dayOfWeek: dayOfWeek === '?' ? ['*'] : weekdays(dayOfWeek, refuse),
    years: year === '*' ? 'every' : valuesOf(year, YEAR, refuse),
    eitherDay: false,
  };
}

function weekdays(text: string, refuse: Refuse): string[] {
  if (text.includes(',') && text.includes('#')) {
    return refuse(`${DAY_OF_WEEK.name} has # in a list; give each its own schedule, such as cron(0 2 ? * 3#2 *)`);
  }
  // Alone, L is the last day of the week; behind a day, the last such day of the month.
  const items = text.split(',').map((item) => (item === 'L' ? 'SAT' : item));
  return daysOfWeek(items.join(','), DAY_OF_WEEK, (day) => day, refuse);
}
