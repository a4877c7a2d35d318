import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { dynamoDBStore } from 'single-execution/dynamodb';
import { withLeadership } from 'single-execution/leader';
import { fakeLockTable, manualClock } from 'single-execution/testing';
import { beforeEach, describe, expect, test } from 'vitest';

const MINUTE = 60_000;
const TEN_MINUTES = 10 * MINUTE;

describe('cold processes of one candidate, each with a store of its own', () => {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  const mock = mockClient(client);
  beforeEach(() => {
    mock.reset();
    fakeLockTable(mock);
  });

  function coldProcess(candidate: string, clock = manualClock()) {
    const store = dynamoDBStore({ tableName: 'locks', client });
    return withLeadership(() => candidate, { name: 'crons', store, candidate, lease: '10m', clock, observers: [] });
  }

  test('send one request to be the first or to be skipped, and two to renew or to take over', async () => {
    const clock = manualClock();
    const spent = async (candidate: string) => {
      mock.resetHistory();
      const result = await coldProcess(candidate, clock)();
      return [mock.calls().length, typeof result === 'string'];
    };

    expect(await spent('eu')).toEqual([1, true]);
    expect(await spent('eu')).toEqual([2, true]);
    expect(await spent('us')).toEqual([1, false]);
    await clock.advance(TEN_MINUTES + 3_000);
    expect(await spent('us')).toEqual([2, true]);
    await clock.advance(TEN_MINUTES + 3_000);
    expect(await spent('us')).toEqual([2, true]);
  });

  test('keep the lead although their clocks differ', async () => {
    const clock = manualClock();
    const late = manualClock(clock.now() - 5 * MINUTE);
    expect(await coldProcess('eu', clock)()).toBe('eu');
    expect(await coldProcess('eu', late)()).toBe('eu');
    await clock.advance(TEN_MINUTES);
    expect(await coldProcess('us', clock)()).toMatchObject({ status: 'skipped', holder: { lockedBy: 'eu' } });
  });

  test('that take over together both run, and none sends more than three requests', async () => {
    const clock = manualClock();
    await coldProcess('us', clock)();
    await clock.advance(TEN_MINUTES + 3_000);
    mock.resetHistory();

    expect(await Promise.all([coldProcess('eu', clock)(), coldProcess('eu', clock)()])).toEqual(['eu', 'eu']);
    expect(mock.calls()).toHaveLength(5);
  });

  test('renew from now on by clocks of their own, of which each began with its process', async () => {
    const clock = manualClock();
    await coldProcess('eu', clock)();
    const later = manualClock(clock.now() + 5 * MINUTE);
    await coldProcess('eu', later)();
    await clock.advance(TEN_MINUTES + 3_000);
    expect(await coldProcess('us', clock)()).toMatchObject({ status: 'skipped', holder: { lockedBy: 'eu' } });
    await clock.advance(5 * MINUTE);
    expect(await coldProcess('us', clock)()).toBe('us');
  });
});
