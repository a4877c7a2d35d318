import type { Context } from 'aws-lambda';
import { lambdaContext, manualClock } from 'single-execution/testing';
import { describe, expect, test } from 'vitest';

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

describe('lambdaContext', () => {
  test('is a full context by the types of aws-lambda', () => {
    const context: Context = lambdaContext();

    expect(context).toMatchObject({
      functionName: 'send-digest',
      functionVersion: '$LATEST',
      invokedFunctionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:send-digest',
      memoryLimitInMB: '128',
      logGroupName: '/aws/lambda/send-digest',
    });
    expect([context.done(), context.fail('x'), context.succeed('x')]).toEqual([undefined, undefined, undefined]);
  });

  test('has a request id of its own, as Lambda makes them', () => {
    const ids = Array.from({ length: 100 }, () => lambdaContext().awsRequestId);

    expect(new Set(ids).size).toBe(100);
    for (const id of ids) expect(id).toMatch(UUID);
  });

  test('counts the remaining time down on the clock it is given, below zero too', async () => {
    const clock = manualClock();
    const context = lambdaContext({ remainingMs: 3_000, clock });
    expect(context.getRemainingTimeInMillis()).toBe(3_000);
    await clock.advance(2_500.5);
    expect(context.getRemainingTimeInMillis()).toBe(499);
    await clock.advance(1_000);

    expect(context.getRemainingTimeInMillis()).toBe(-501);
  });

  test('has a minute left by the system clock by default', () => {
    const remaining = lambdaContext().getRemainingTimeInMillis();

    expect(remaining).toBeGreaterThan(50_000);
    expect(remaining).toBeLessThanOrEqual(60_000);
  });

  test('takes any property, and derives the names from the name of the function', () => {
    const context = lambdaContext({ functionName: 'clean-up', awsRequestId: 'request-1', functionVersion: '7' });

    expect(context).toMatchObject({
      awsRequestId: 'request-1',
      functionVersion: '7',
      invokedFunctionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:clean-up',
      logGroupName: '/aws/lambda/clean-up',
    });
    expect(Object.keys(context)).not.toContain('remainingMs');
  });
});
