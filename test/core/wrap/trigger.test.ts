import { manualClock } from 'single-execution/testing';
import { describe, expect, test, vi } from 'vitest';
import { resolveSettings } from '../../../src/core/options/policy.js';
import {
  readInstant,
  type TickOption,
  type Trigger,
  tickReader,
  warnOfNoTick,
} from '../../../src/core/wrap/trigger.js';

const NOON = Date.parse('2026-01-01T12:00:00Z');
const DAY = 86_400_000;

type Given = readonly unknown[];

/** The chooser of a host whose clock stands at that instant. */
function chooserAt(nowMs: number, tick: TickOption<Given>) {
  const tickOf = tickReader(tick, resolveSettings({ clock: manualClock(nowMs) }, []));
  return (read: Trigger, args: Given) => tickOf(read, args, 'digest');
}

describe('row 36: readInstant', () => {
  test.each<[string, number]>([
    ['2026-01-01T12:00:00Z', NOON],
    ['2026-01-01T12:00Z', NOON],
    ['2026-01-01T12:00:00.5Z', NOON + 500],
    ['2026-01-01T12:00:00.123456789Z', NOON + 123],
    ['2026-01-01T14:30:00+02:30', NOON],
    ['2026-01-01T07:00:00-0500', NOON],
  ])('reads %s', (time, tickMs) => {
    expect(readInstant(time)).toEqual({ tickMs });
  });

  test.each([[undefined], [null]])('F68 without a time (%o) there is nothing to read and nothing to report', (time) => {
    expect(readInstant(time)).toEqual({});
  });

  test.each<[unknown, string]>([
    ['', "''"],
    ['noon', "'noon'"],
    ['2026-01-01', "'2026-01-01'"],
    ['2026-01-01T12:00:00', "'2026-01-01T12:00:00'"],
    ['2026-02-30T12:00:00+99:99', "'2026-02-30T12:00:00+99:99'"],
    [' 2026-01-01T12:00:00Z', "' 2026-01-01T12:00:00Z'"],
    ['2026-01-01T12:00:00Z\n', "'2026-01-01T12:00:00Z\n'"],
    ['+057000-01-01T00:00:00Z', "'+057000-01-01T00:00:00Z'"],
    ['Thu, 01 Jan 2026 12:00:00 GMT', "'Thu, 01 Jan 2026 12:00:00 GMT'"],
    [String(NOON), "'1767268800000'"],
    [NOON, '1767268800000'],
    [new Date(NOON), '2026-01-01T12:00:00.000Z'],
    [{}, 'an object'],
    ['9'.repeat(100_000), `'${'9'.repeat(64)}…'`],
  ])('tells of %o, which is no instant with an offset, in few words', (time, unreadableTick) => {
    expect(readInstant(time)).toEqual({ unreadableTick });
  });
});

describe('row 36: the tick of an invocation', () => {
  // The contract of adapters says which tick each option gives.
  test('leaves the other facts of the trigger', () => {
    const read = { tickMs: NOON, scheduleArn: 'arn', attempt: 2 };

    expect(chooserAt(NOON, 'event')(read, [])).toEqual(read);
    expect(chooserAt(NOON, 'none')(read, [])).toEqual({ scheduleArn: 'arn', attempt: 2 });
    expect(chooserAt(NOON, () => NOON - 1)(read, [])).toEqual({ ...read, tickMs: NOON - 1 });
    for (const tick of ['none', () => undefined] as const) {
      expect(chooserAt(NOON, tick)({ unreadableTick: "'soon'" }, [])).toEqual({});
    }
  });

  test('F71 F94 is refused when it is out of reach, whoever named it', () => {
    const tickMs = NOON + DAY + 1;

    expect(() => chooserAt(NOON, 'event')({ tickMs }, [])).toThrow(RangeError);
    expect(() => chooserAt(NOON, () => tickMs)({}, [])).toThrow(RangeError);
  });

  test('is judged by the clock of the moment, not of the wrapping', async () => {
    const clock = manualClock(NOON);
    const tickOf = tickReader('event', resolveSettings({ clock }, []));
    await clock.advance(2 * DAY);

    expect(tickOf({ tickMs: NOON + 2 * DAY }, [], 'digest')).toEqual({ tickMs: NOON + 2 * DAY });
  });
});

describe('row 36: a trigger that has no scheduled time', () => {
  const settings = resolveSettings({ clock: manualClock(NOON) }, []);

  test("is what 'event' alone asks it for", () => {
    const onUnscheduled = vi.fn();
    const triggerBy = (tick: TickOption<Given>, read: Trigger) =>
      tickReader(tick, settings, onUnscheduled)(read, [], 'digest');
    for (const tick of ['none', () => undefined, 'event'] as const) triggerBy(tick, {});
    triggerBy('event', { tickMs: NOON });

    expect(onUnscheduled).toHaveBeenCalledExactlyOnceWith({}, 'digest');
  });

  test('is reported once, by the name of the lock; a time that cannot be read has an event of its own', () => {
    const told = vi.spyOn(console, 'warn').mockReturnValue();
    const tell = warnOfNoTick();
    tell({ unreadableTick: "'noon'" }, 'unread');
    tell({}, 'digest');
    tell({}, 'report');
    const lines = told.mock.calls.map(([line]) => JSON.parse(line).message);
    told.mockRestore();

    expect(lines).toEqual([
      `lock "digest": the trigger has no scheduled time, so a second delivery runs again: set tick to a function, or 'none'; a scheduler in a process, such as croner, needs single-execution/process`,
    ]);
  });
});

test.each<[unknown, Error]>([
  [null, new TypeError("tick is null: choose 'event' or 'nearest' or 'none'")],
  ['every', new TypeError("tick is 'every': choose 'event' or 'nearest' or 'none'")],
  [300_000, new TypeError("tick is 300000: choose 'event' or 'nearest' or 'none'")],
  [{ every: '5m' }, new TypeError("tick is an object: choose 'event' or 'nearest' or 'none'")],
])('row 14: an invalid tick option is refused when wrapping: %o', (tick, error) => {
  expect(() => chooserAt(NOON, tick as 'event')).toThrow(error);
});
