/*
 * Debian's cron 3.0pl1-162, written anew from its sources for tests: the main loop of cron.c, and the fields of
 * entry.c with their flags for a leading star. debian-cron.proof.test.ts holds it against the real daemon.
 */

const MINUTE = 60_000;
/** Above this many minutes cron takes a change for a clock that was set. */
const LARGE = 180;

interface Entry {
  readonly minute: ReadonlySet<number>;
  readonly hour: ReadonlySet<number>;
  readonly dom: ReadonlySet<number>;
  readonly month: ReadonlySet<number>;
  readonly dow: ReadonlySet<number>;
  readonly isWild: boolean;
  readonly needsBothDays: boolean;
}

function entryOf(expression: string): Entry {
  const [minute = '', hour = '', dom = '', month = '', dow = ''] = expression.split(' ');
  const weekdays = bits(dow, 0, 7);
  return {
    minute: bits(minute, 0, 59),
    hour: bits(hour, 0, 23),
    dom: bits(dom, 1, 31),
    month: bits(month, 1, 12),
    dow: new Set([...weekdays].map((day) => day % 7)),
    isWild: [minute, hour].some((text) => text[0] === '*'),
    needsBothDays: [dom, dow].some((text) => text[0] === '*'),
  };
}

function bits(text: string, low: number, high: number): ReadonlySet<number> {
  const set = new Set<number>();
  for (const element of text.split(',')) {
    const [range = '', step = '1'] = element.split('/');
    const [first, last = first] = range === '*' ? [low, high] : range.split('-').map(Number);
    for (let i = Number(first); i <= Number(last); i += Number(step)) set.add(i);
  }
  return set;
}

/** Returns the instants, one for each start of the job, from `fromMs` to `toMs` (exclusive), in whole minutes. */
export function debianCron(expression: string, timeZone: string, fromMs: number, toMs: number): Date[] {
  const entry = entryOf(expression);
  const wallMinutes = wallMinutesIn(timeZone);
  const started: Date[] = [];
  // As if the daemon had been started an hour before.
  let virtual = wallMinutes(fromMs - 60 * MINUTE);
  for (let atMs = fromMs - 59 * MINUTE; atMs < toMs; atMs += MINUTE) {
    const find = (minutes: number, wild: boolean, fixed: boolean) => {
      if (atMs >= fromMs && (entry.isWild ? wild : fixed) && isDue(entry, minutes)) started.push(new Date(atMs));
    };
    const now = wallMinutes(atMs);
    const difference = now - virtual;
    if (difference > 0 && difference <= 5) {
      while (virtual < now) find(++virtual, true, true);
    } else if (difference > 5 && difference <= LARGE) {
      find(now, true, false);
      while (virtual < now) find(++virtual, false, true);
    } else if (difference <= 0 && difference > -LARGE) {
      find(now, true, false);
    } else {
      virtual = now;
      find(now, true, true);
    }
  }
  return started;
}

function isDue({ minute, hour, dom, month, dow, needsBothDays }: Entry, minutes: number): boolean {
  const at = new Date(minutes * MINUTE);
  const [inMonth, inWeek] = [dom.has(at.getUTCDate()), dow.has(at.getUTCDay())];
  return (
    minute.has(at.getUTCMinutes()) &&
    hour.has(at.getUTCHours()) &&
    month.has(at.getUTCMonth() + 1) &&
    (needsBothDays ? inMonth && inWeek : inMonth || inWeek)
  );
}

/** Returns the local time in minutes, as if it were UTC. Reads the calendar in another way than the library does. */
function wallMinutesIn(timeZone: string): (atMs: number) => number {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  return (atMs) => Date.parse(`${format.format(atMs).replace(' ', 'T')}Z`) / MINUTE;
}
