import fc from 'fast-check';
import { cron, eventBridge, rate, type Schedule } from 'single-execution/schedule';
import { describe, expect, test } from 'vitest';

const FROM = new Date('2026-03-01T00:00:00Z');
const TO = new Date('2026-03-01T00:03:00Z');

const SCHEDULES: readonly Schedule[] = [
  cron('* * * * *'),
  eventBridge('cron(* * * * ? *)', { timeZone: 'Asia/Kolkata' }),
  rate('1m', { start: FROM }),
  rate('1m'),
];

describe.each(SCHEDULES.map((schedule) => [String(schedule), schedule] as const))('row 88: %s', (_, schedule) => {
  test('lists from the first instant, included, to the second, excluded', () => {
    expect(schedule.between(FROM, TO).map((tick) => tick.getUTCMinutes())).toEqual([0, 1, 2]);
    expect(schedule.between(FROM, FROM)).toEqual([]);
    expect(schedule.between(TO, FROM)).toEqual([]);
  });

  test('lists the first max of them', () => {
    expect(schedule.between(FROM, TO, { max: 2 }).map((tick) => tick.getUTCMinutes())).toEqual([0, 1]);
    expect(schedule.between(FROM, new Date(8.64e15), { max: 100_001 })).toHaveLength(100_001);
  });

  test('lists no more than 100,000 unless max allows it', () => {
    const later = (minutes: number) => new Date(FROM.getTime() + minutes * 60_000);

    expect(schedule.between(FROM, later(100_000))).toHaveLength(100_000);
    expect(() => schedule.between(FROM, later(100_001))).toThrow(
      new RangeError(`${schedule} has more than 100,000 ticks between from and to: set max, or pass a shorter time`),
    );
  });

  test('cannot be changed', () => {
    expect(Object.isFrozen(schedule)).toBe(true);
    const [at, tick] = [new Date(FROM), schedule.previous(FROM)];
    tick?.setTime(0);

    expect(schedule.previous(at)).toEqual(FROM);
    expect(at).toEqual(FROM);
  });

  test('can be taken apart', () => {
    const { previous, next, between } = schedule;

    expect([previous(FROM), next(FROM), between(FROM, TO)[0]]).toEqual([FROM, new Date(+FROM + 60_000), FROM]);
  });

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5', null])('refuses max %o', (max) => {
    expect(() => schedule.between(FROM, TO, { max: max as number })).toThrow(
      new RangeError(
        `max is ${typeof max === 'string' ? `'${max}'` : max}: pass a whole number from 1, or leave it out`,
      ),
    );
  });

  test.each<[string, () => unknown, Error]>([
    ['next of a number', () => schedule.next(0 as never), new TypeError('at is 0: pass a Date')],
    ['previous of nothing', () => schedule.previous(undefined as never), new TypeError('at is undefined: pass a Date')],
    [
      'next of an invalid Date',
      () => schedule.next(new Date(Number.NaN)),
      new RangeError('at is an invalid Date: pass a valid one'),
    ],
    ['a list from a text', () => schedule.between('2026' as never, TO), new TypeError("from is '2026': pass a Date")],
    [
      'an unknown option',
      () => schedule.between(FROM, TO, { limit: 1 } as object),
      new TypeError("unknown option 'limit' of between: the option is max"),
    ],
  ])('refuses %s', (_, call, error) => {
    expect(call).toThrow(error);
  });
});

test('row 88: next, previous and between return the same ticks', () => {
  const expression = fc.constantFrom('*/7 * * * *', '0 9 * * MON-FRI', '30 2 L * *', '0 0 29 2 *', '5 4 13 * 5');
  const timeZone = fc.constantFrom('UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/Sao_Paulo');
  const instant = fc.date({ min: new Date('1975-01-01'), max: new Date('2050-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(expression, timeZone, instant, (text, zone, at) => {
      const schedule = cron(text, { timeZone: zone });
      const [first, second] = schedule.between(at, new Date('2199-01-01'), { max: 2 });
      if (!first || !second) throw new Error('fires twice before 2199');

      expect(schedule.next(new Date(at.getTime() - 1))).toEqual(first);
      expect(schedule.next(first)).toEqual(second);
      expect(schedule.previous(second)).toEqual(second);
      expect(schedule.previous(new Date(second.getTime() - 1))).toEqual(first);
    }),
  );
});
