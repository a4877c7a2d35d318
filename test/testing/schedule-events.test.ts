import type { ScheduledEvent } from 'aws-lambda';
import { scheduledEvent, schedulerEvent } from 'single-execution/testing';
import { describe, expect, test } from 'vitest';
import { readScheduleEvent } from '../../src/adapters/lambda.js';

const TICK = Date.UTC(2026, 2, 29, 1, 30);

describe('scheduledEvent', () => {
  test('is the event of an EventBridge rule by the types of aws-lambda', () => {
    const event: ScheduledEvent = scheduledEvent({ id: 'event-1' });

    expect(event).toEqual({
      version: '0',
      id: 'event-1',
      'detail-type': 'Scheduled Event',
      source: 'aws.events',
      account: '123456789012',
      time: '2026-01-01T00:00:00Z',
      region: 'eu-west-1',
      resources: ['arn:aws:events:eu-west-1:123456789012:rule/send-digest'],
      detail: {},
    });
  });

  test.each([
    ['a Date', new Date(TICK + 250)],
    ['milliseconds', TICK],
    ['a string', '2026-03-29T01:30:00Z'],
  ])('writes the time as AWS does, given as %s', (_, time) => {
    expect(scheduledEvent({ time }).time).toBe('2026-03-29T01:30:00Z');
  });

  test('passes on a time that nobody can read', () => {
    expect(scheduledEvent({ time: 'soon' }).time).toBe('soon');
  });

  test('reads account and region from the rule', () => {
    const ruleArn = 'arn:aws:events:us-east-2:210987654321:rule/clean-up';

    expect(scheduledEvent({ ruleArn })).toMatchObject({
      account: '210987654321',
      region: 'us-east-2',
      resources: [ruleArn],
    });
  });

  test('each has an id of its own', () => {
    expect(scheduledEvent().id).not.toBe(scheduledEvent().id);
  });
});

describe('schedulerEvent', () => {
  test('row 64: is the event of Scheduler without an input, whose detail is a string', () => {
    const { id, ...event } = schedulerEvent();

    expect(id).toMatch(/^[\da-f-]{36}$/);
    expect(event).toEqual({
      version: '0',
      'detail-type': 'Scheduled Event',
      source: 'aws.scheduler',
      account: '123456789012',
      time: '2026-01-01T00:00:00Z',
      region: 'eu-west-1',
      resources: ['arn:aws:scheduler:eu-west-1:123456789012:schedule/default/send-digest'],
      detail: '{}',
    });
  });

  test('row 64: can be an input made of context attributes, all strings', () => {
    const { executionId, ...event } = schedulerEvent({ style: 'attributes', scheduledTime: TICK, attemptNumber: 2 });

    expect(executionId).toMatch(/^[\da-f]{12}$/);
    expect(event).toEqual({
      scheduledTime: '2026-03-29T01:30:00Z',
      scheduleArn: 'arn:aws:scheduler:eu-west-1:123456789012:schedule/default/send-digest',
      attemptNumber: '2',
    });
  });

  test('F65 has an execution id of its own for each delivery', () => {
    const ids = Array.from({ length: 100 }, () => schedulerEvent({ style: 'attributes' }).executionId);

    expect(new Set(ids).size).toBe(100);
  });

  test('both styles give the wrapper the same tick and schedule', () => {
    const scheduleArn = 'arn:aws:scheduler:us-east-2:210987654321:schedule/nightly/clean-up';
    const options = { scheduledTime: new Date(TICK), scheduleArn };
    const facts = { tickMs: TICK, scheduleArn };

    expect(readScheduleEvent(schedulerEvent(options))).toEqual(facts);
    expect(readScheduleEvent(schedulerEvent({ ...options, style: 'attributes' }))).toEqual({ ...facts, attempt: 1 });
    expect(schedulerEvent(options)).toMatchObject({ account: '210987654321', region: 'us-east-2' });
  });
});
