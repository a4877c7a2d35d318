import type { ChangeRules } from './clock-changes.js';
import {
  DAY_NAMES,
  DAY_OF_MONTH,
  daysOfMonth,
  daysOfWeek,
  type Field,
  HOURS,
  MINUTES,
  MONTH,
  valuesOf,
} from './fields.js';
import type { CronFields, Refuse } from './instants.js';

/**
 * The scheduler whose rules an expression follows: `crontab` stands for cron itself (Debian's and cronie), the others
 * for the packages of these names. NestJS's `@Cron` uses `cron`.
 */
export type Dialect = 'crontab' | 'croner' | 'cron' | 'node-cron';

/** An expression of a crontab that was read. */
interface Crontab {
  readonly fields: CronFields;
  readonly changes: ChangeRules;
}

/** The two fields of days: their texts, and whether they name every day. */
interface DayFields {
  readonly texts: readonly string[];
  readonly areAll: readonly boolean[];
}

interface DialectRules {
  /** Whether a day needs to be in only one of the two fields of days, or in both. */
  readonly eitherDay: (days: DayFields) => boolean;
  /** Which times that the clock skips move to the instant of the change. */
  readonly moves: 'fixed' | 'all' | 'none';
  /** Whether a time that is not fixed has a second tick when the clock shows it again. */
  readonly repeats: boolean;
}

const DIALECTS: Readonly<Record<Dialect, DialectRules>> = {
  crontab: { eitherDay: ({ texts }) => !texts.some((text) => text.startsWith('*')), moves: 'fixed', repeats: true },
  croner: { eitherDay: ({ texts }) => !texts.includes('*'), moves: 'fixed', repeats: true },
  cron: { eitherDay: ({ areAll }) => !areAll.includes(true), moves: 'all', repeats: true },
  'node-cron': { eitherDay: () => false, moves: 'none', repeats: false },
};

export const DIALECT_NAMES: readonly string[] = Object.keys(DIALECTS);

const SECONDS: Field = { ...MINUTES, name: 'seconds' };
const DAY_OF_WEEK: Field = {
  name: 'day-of-week',
  first: 0,
  last: 7,
  takes: '0-7 (0 and 7 are Sunday) or SUN-SAT, 5L or 2#2',
  names: DAY_NAMES,
};

const FIELDS = [MINUTES, HOURS, DAY_OF_MONTH, MONTH, DAY_OF_WEEK].map(({ name }) => name).join(' ');

/** Words that stand for five fields. */
const WORDS: Readonly<Record<string, string>> = {
  '@YEARLY': '0 0 1 1 *',
  '@ANNUALLY': '0 0 1 1 *',
  '@MONTHLY': '0 0 1 * *',
  '@WEEKLY': '0 0 * * 0',
  '@DAILY': '0 0 * * *',
  '@MIDNIGHT': '0 0 * * *',
  '@HOURLY': '0 * * * *',
};

/**
 * Reads the five fields of a crontab, or six with seconds first, like croner, node-cron and NestJS, or a word such as
 * `@daily`.
 *
 * @throws what `refuse` throws for text that cannot be read
 */
export function readCrontab(expression: string, dialect: Dialect, refuse: Refuse): Crontab {
  const texts = fieldsOf(expression, refuse);
  const [minutes = '', hours = '', dayOfMonth = '', month = '', dayOfWeek = ''] = texts.slice(-5);
  const [seconds = ''] = texts.length === 6 ? texts : ['0'];
  const [daysInMonth, daysInWeek] = [
    dayOfMonth === '*' ? ['*'] : daysOfMonth(dayOfMonth, refuse),
    dayOfWeek === '*' ? ['*'] : daysOfWeek(dayOfWeek, DAY_OF_WEEK, (day) => (day % 7) + 1, refuse),
  ];
  const areAll = [hasAll(daysInMonth, 31), hasAll(daysInWeek, 7)];
  const { eitherDay, moves, repeats } = DIALECTS[dialect];
  // cron runs a job whose minutes or hours begin with a star by the clock, whatever that shows.
  const isFixed = !minutes.startsWith('*') && !hours.startsWith('*');
  return {
    fields: {
      seconds: valuesOf(seconds, SECONDS, refuse),
      minutes: valuesOf(minutes, MINUTES, refuse),
      hours: valuesOf(hours, HOURS, refuse),
      dayOfMonth: daysInMonth,
      months: valuesOf(month, MONTH, refuse),
      dayOfWeek: daysInWeek,
      years: 'every',
      eitherDay: eitherDay({ texts: [dayOfMonth, dayOfWeek], areAll }),
    },
    changes: { moves: moves === 'all' || (moves === 'fixed' && isFixed), repeats: repeats && !isFixed },
  };
}

function hasAll(days: readonly string[], count: number): boolean {
  return days.includes('*') || new Set(days.filter((day) => /^\d+$/.test(day))).size === count;
}

/** Splits an expression into its five or six fields, in capitals. */
function fieldsOf(expression: string, refuse: Refuse): readonly string[] {
  if (/^\s*(?:cron|rate|at)\(/i.test(expression)) return refuseEventBridge(expression.trim(), refuse);
  const fields: readonly string[] = expression.toUpperCase().match(/\S+/g) ?? [];
  if (fields[0]?.startsWith('@')) return wordFields(fields, refuse);
  const at = fields.indexOf('?');
  if (fields.length === 6 && (at === 2 || at === 4)) return refuseEventBridge(`cron(${fields.join(' ')})`, refuse);
  if (fields.length === 5 || fields.length === 6) {
    if (!fields.some((text) => text.includes('?'))) return fields;
    const stars = fields.map((text) => (text === '?' ? '*' : text)).join(' ');
    return refuse(`has a ?, which a crontab does not know; use * instead, as in ${stars}`);
  }
  const count = `${fields.length} ${fields.length === 1 ? 'field' : 'fields'}`;
  return refuse(`has ${count}; use five, ${FIELDS}, such as 0 9 * * MON-FRI, or six with seconds in front`);
}

function wordFields([word = '', ...more]: readonly string[], refuse: Refuse): readonly string[] {
  const text = more.length === 0 ? WORDS[word] : undefined;
  if (text !== undefined) return text.split(' ');
  if (word === '@REBOOT') return refuse('is for the start of a machine, which is not a scheduled time; use a time');
  if (word === '@EVERY') return refuse("is for an interval; pass it to rate(), such as rate('5m', { start })");
  return refuse(
    `is not a word of a crontab; use one of ${Object.keys(WORDS).join(', ').toLowerCase()}, or five fields`,
  );
}

function refuseEventBridge(expression: string, refuse: Refuse): never {
  return refuse(`is in EventBridge's dialect; pass it to eventBridge(), as eventBridge('${expression}')`);
}
