import { describe, expect, test } from 'vitest';
import { readScheduleEvent } from '../../src/adapters/lambda.js';
import { fixture } from './fixture.js';

const MIDNIGHT = Date.parse('2026-01-01T00:00:00Z');
const SCHEDULE = 'arn:aws:scheduler:eu-west-1:123456789012:schedule/default/send-digest';

describe('row 64: recorded events', () => {
  test.each<[string, string, object]>([
    [
      'row 36: an EventBridge rule',
      'rule-event',
      { tickMs: MIDNIGHT, scheduleArn: 'arn:aws:events:eu-west-1:123456789012:rule/send-digest' },
    ],
    ['row 36: Scheduler without an input', 'scheduler-default-event', { tickMs: MIDNIGHT, scheduleArn: SCHEDULE }],
    ['row 36: Scheduler with attributes', 'scheduler-input', { tickMs: MIDNIGHT, scheduleArn: SCHEDULE, attempt: 2 }],
    [
      'an emulator that fills in no context attributes',
      'emulator-input',
      { unreadableTick: "'<aws.scheduler.scheduled-time>'", scheduleArn: '<aws.scheduler.schedule-arn>' },
    ],
    ['an event that is of no schedule, whose time is no tick', 'custom-event', {}],
  ])('%s', (_, name, facts) => {
    expect(readScheduleEvent(fixture(name))).toEqual(facts);
  });

  test('row 64: F64 F65 the event id and the execution id, which change with each delivery, are never read', () => {
    const keys = ['rule-event', 'scheduler-default-event', 'scheduler-input'].map((name) => [
      readScheduleEvent(fixture(name)),
      readScheduleEvent({ ...fixture(name), id: 'another', executionId: 'another', 'execution-id': 'another' }),
    ]);

    for (const [first, second] of keys) expect(second).toEqual(first);
  });
});

describe('row 196: singleExecution', () => {
  test('asks for a run by hand, whatever else the event has', () => {
    expect(readScheduleEvent({ singleExecution: 'now' })).toEqual({ isManual: true });
    expect(readScheduleEvent({ ...fixture('rule-event'), singleExecution: 'now' })).toMatchObject({ isManual: true });
  });

  test.each([['Now'], [''], ['true'], [true], [null], [0], [{}]])('is an error if it is %o', (singleExecution) => {
    expect(() => readScheduleEvent({ singleExecution })).toThrow(
      /^singleExecution of the event is .+: send 'now' for a run by hand, or leave it out$/,
    );
  });
});

describe('row 36: the time', () => {
  test.each<[string, number]>([
    ['2026-01-01T00:00:00Z', MIDNIGHT],
    ['2026-01-01T01:00:00+01:00', MIDNIGHT],
  ])('%s', (time, tickMs) => {
    expect(readScheduleEvent({ time })).toEqual({ tickMs });
    expect(readScheduleEvent({ scheduledTime: time })).toEqual({ tickMs });
  });

  test('a scheduledTime comes before a time', () => {
    const event = { scheduledTime: '2026-01-01T00:00:00Z', time: '2026-01-01T00:00:42Z' };

    expect(readScheduleEvent(event)).toEqual({ tickMs: MIDNIGHT });
  });

  test('F70 the repeated hour in autumn gives two ticks', () => {
    const ticks = ['2026-10-25T02:30:00+02:00', '2026-10-25T02:30:00+01:00'].map(
      (time) => readScheduleEvent({ time }).tickMs,
    );

    expect(ticks).toEqual([Date.parse('2026-10-25T00:30:00Z'), Date.parse('2026-10-25T01:30:00Z')]);
  });

  test('F69 the seconds of a rate() rule are kept', () => {
    expect(readScheduleEvent({ ...fixture('rule-event'), time: '2026-01-01T00:04:37Z' }).tickMs).toBe(
      MIDNIGHT + 277_000,
    );
  });

  test.each<[unknown, string]>([
    ['soon', "'soon'"],
    ['2026-01-01T25:00:00Z', "'2026-01-01T25:00:00Z'"],
    [{}, 'an object'],
    [{ toString: 1 }, 'an object'],
    ['9'.repeat(1_000_000), `'${'9'.repeat(64)}…'`],
  ])('a time that cannot be read is no tick, and is told: %o', (time, unreadableTick) => {
    expect(readScheduleEvent({ time })).toEqual({ unreadableTick });
    expect(readScheduleEvent({ scheduledTime: time })).toEqual({ unreadableTick });
  });

  test.each<[unknown]>([[undefined], [null]])('F68 without a time (%o) there is nothing to report', (time) => {
    expect(readScheduleEvent({ time, scheduledTime: time })).toEqual({});
  });
});

describe('the attempt', () => {
  test.each<[unknown, number]>([
    ['1', 1],
    ['185', 185],
    ['0', 0],
    [3, 3],
  ])('%o is attempt %i', (attemptNumber, attempt) => {
    expect(readScheduleEvent({ attemptNumber })).toEqual({ attempt });
  });

  test.each<[unknown]>([
    ['first'],
    ['-1'],
    [1.5],
    [Number.NaN],
    ['9'.repeat(400)],
    [{}],
    [null],
    [''],
    [' '],
    [[]],
    [true],
  ])('%o is none', (attemptNumber) => {
    expect(readScheduleEvent({ attemptNumber })).toEqual({});
  });

  test('an object that cannot even be made a number is none, and no crash', () => {
    expect(readScheduleEvent(JSON.parse('{"attemptNumber":{"toString":1,"valueOf":1}}'))).toEqual({});
  });
});
