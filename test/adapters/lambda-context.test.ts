import type { Context } from 'single-execution';
import { describe, expect, test } from 'vitest';
import { remainingMs, whoRuns } from '../../src/adapters/lambda-context.js';

describe('remainingMs', () => {
  test.each<[unknown, number | undefined]>([
    [3_000, 3_000],
    [0, 0],
    [-60_000, -60_000],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    ['3000', undefined],
    [undefined, undefined],
    [null, undefined],
  ])('row 63: when Lambda tells %o it is %o', (told, remaining) => {
    expect(remainingMs({ getRemainingTimeInMillis: () => told as number })).toBe(remaining);
  });

  test.each<[unknown]>([[undefined], [null], [{}], [{ getRemainingTimeInMillis: undefined }]])(
    'row 63: is unknown where an emulator gives %o as context',
    (context) => {
      expect(remainingMs(context as Partial<Context>)).toBeUndefined();
    },
  );

  test('asks the context itself, so that its methods find their this', () => {
    class EmulatorContext {
      readonly deadline = 5_000;
      getRemainingTimeInMillis() {
        return this.deadline;
      }
    }

    expect(remainingMs(new EmulatorContext())).toBe(5_000);
  });
});

describe('whoRuns', () => {
  const context = {
    functionName: 'send-digest',
    functionVersion: '7',
    invokedFunctionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:send-digest:live',
    awsRequestId: 'c0ffee00-0000-4000-8000-000000000000',
  };

  test('names function, version, region and request', () => {
    expect(whoRuns(context)).toBe('send-digest 7 eu-west-1 c0ffee00-0000-4000-8000-000000000000');
  });

  test('F89 takes nothing else from the invocation', () => {
    const loose = {
      ...context,
      identity: { cognitoIdentityId: 'secret', cognitoIdentityPoolId: 'secret' },
      logStreamName: 'secret',
      tenantId: 'secret',
    };

    expect(whoRuns(loose)).not.toContain('secret');
    expect(whoRuns(loose)).not.toContain('123456789012');
  });

  test.each<[unknown, string]>([
    [undefined, 'a function'],
    [null, 'a function'],
    [{}, 'a function'],
    [{ functionName: 'send-digest' }, 'send-digest'],
    [{ functionName: 'send-digest', invokedFunctionArn: 'not an arn' }, 'send-digest'],
    [{ awsRequestId: 'c0ffee' }, 'a function c0ffee'],
    // The record takes no empty text.
    [{ functionName: '', functionVersion: '' }, 'a function'],
    [{ functionName: null }, 'a function'],
  ])('says what it can of %o', (partial, who) => {
    expect(whoRuns(partial as Partial<Context>)).toBe(who);
  });
});
