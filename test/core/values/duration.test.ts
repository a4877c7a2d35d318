import fc from 'fast-check';
import { type Duration, parseDuration } from 'single-execution';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, test } from 'vitest';
import { formatDuration } from '../../../src/core/values/duration.js';

describe('parseDuration', () => {
  test.each<[Duration, number]>([
    [0, 0],
    [1.5, 2],
    [600_000, 600_000],
    ['1.5h', 5_400_000],
    ['0.0004s', 0],
    ['1.25d', 108_000_000],
    ['1.25h', 4_500_000],
    ['1.25m', 75_000],
    ['1.25s', 1_250],
    ['P1.25D', 108_000_000],
    ['PT1.25H', 4_500_000],
    ['PT1.25M', 75_000],
    ['PT1.25S', 1_250],
  ])('reads %o as %i ms', (value, ms) => {
    expect(parseDuration(value)).toBe(ms);
  });

  test("row 15: 600000, '10m' and 'PT10M' are the same; a bare '10' is refused", () => {
    expect([600_000, '10m', 'PT10M'].map((value) => parseDuration(value))).toEqual([600_000, 600_000, 600_000]);
    expect(() => parseDuration('10')).toThrow(TypeError);
  });

  test.each<[string, unknown]>([
    ['no unit', '10'],
    ['nothing', ''],
    ['a blank', ' '],
    ['units out of order', '1m1h'],
    ['a unit twice', '1m1m'],
    ['a blank inside', '5 m'],
    ['a blank behind', '5m '],
    ['a line end behind', '5m\n'],
    ['a minus', '-5m'],
    ['a plus', '+5m'],
    ['a capital unit', '5M'],
    ['no digits', 'm'],
    ['no digit before the point', '.5h'],
    ['no digit behind the point', '1.h'],
    ['a comma', '1,5h'],
    ['an exponent', '1e3s'],
    ['a part of a millisecond', '1.5ms'],
    ['digits of another script', '٣m'],
    ['weeks', '1w'],
    ['ISO months', 'P1M'],
    ['ISO years', 'P1Y'],
    ['ISO in lower case', 'pt15m'],
    ['a negative ISO duration', '-PT5M'],
    ['a mix of both forms', 'PT1H30m'],
    ['null', null],
    ['undefined', undefined],
    ['an object', {}],
    ['an array', ['5m']],
    ['a boolean', true],
    ['a bigint', 10n],
    ['a date', new Date(0)],
    ['a function', () => 5],
  ])('refuses %s with a TypeError', (_, value) => {
    expect(() => parseDuration(value as Duration)).toThrow(TypeError);
  });

  test.each<[string, Duration]>([
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['-Infinity', Number.NEGATIVE_INFINITY],
    ['-1', -1],
    ['a little less than nothing', -0.1],
    ['more digits than a number can hold', `${'9'.repeat(400)}s`],
  ])('refuses %s with a RangeError', (_, value) => {
    expect(() => parseDuration(value)).toThrow(RangeError);
  });

  test('names the option, the value and the remedy', () => {
    expect(() => parseDuration('10', 'lockAtMostFor')).toThrow(
      new TypeError("lockAtMostFor is '10', which has no unit: write '10ms', '10s' or '10m'"),
    );
    expect(() => parseDuration(-1)).toThrow(
      new RangeError('duration is -1: pass a finite number of milliseconds, 0 or more'),
    );
  });

  test('refuses a million digits at once, and does not repeat them in the message', () => {
    const refused = (value: string): string => {
      try {
        return `${parseDuration(value)}`;
      } catch (error) {
        return String(error);
      }
    };
    expect(refused('9'.repeat(1_000_000)).length).toBeLessThan(250);
    expect(refused(`${'9'.repeat(1_000_000)}s`).length).toBeLessThan(250);
  });

  test('row 15: reads every ISO duration of days to seconds as Temporal does', () => {
    const count = fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: undefined });
    const parts = fc.record({ D: count, H: count, M: count, S: count, fraction: fc.integer({ min: 0, max: 999 }) });
    fc.assert(
      fc.property(parts, ({ D, H, M, S, fraction }) => {
        const time = [
          H === undefined ? '' : `${H}H`,
          M === undefined ? '' : `${M}M`,
          S === undefined ? '' : `${S}.${String(fraction).padStart(3, '0')}S`,
        ].join('');
        const text = `P${D === undefined ? '' : `${D}D`}${time && `T${time}`}`;
        fc.pre(text !== 'P');
        expect(parseDuration(text)).toBe(Temporal.Duration.from(text).total('milliseconds'));
      }),
    );
  });

  test('row 15: if Temporal refuses a duration, reads only a sum of whole units', () => {
    const isoLike = fc.array(fc.constantFrom('P', 'T', 'D', 'H', 'M', 'S', 'W', 'Y', '-', '0', '1', '59'), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(isoLike, (letters) => {
        const text = `P${letters.join('')}`;
        let temporal: number | undefined;
        try {
          temporal = Temporal.Duration.from(text).total('milliseconds');
        } catch {
          // Temporal refuses it, or cannot total months without a calendar.
        }
        fc.pre(!/[WY]|^P[^T]*M/.test(text));
        if (temporal === undefined) expect(() => parseDuration(text)).toThrow(TypeError);
        else expect(parseDuration(text)).toBe(temporal);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('formatDuration', () => {
  test.each<[number, string]>([
    [0, '0ms'],
    [250, '250ms'],
    [45_000, '45s'],
    [5_400_000, '1h30m'],
    [93_784_005, '1d2h3m4s5ms'],
    [1.4, '1ms'],
  ])('shows %i as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  test('is read back as the same number of milliseconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e12 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
    );
  });
});
