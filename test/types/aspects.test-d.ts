import middy from '@middy/core';
import type { ScheduledEvent } from 'aws-lambda';
import type { Execution } from 'single-execution';
import { memoryStore } from 'single-execution/memory';
import { singleExecution } from 'single-execution/middy';
import { describe, expectTypeOf, test } from 'vitest';

const store = memoryStore();
const options = { name: 'digest', store } as const;

describe('row 62: Middy', () => {
  test('row 62: the handler is given its event, and the execution in its context', () => {
    middy<ScheduledEvent, string>()
      .use(singleExecution(options))
      .before((request) => {
        expectTypeOf(request.internal.execution).toEqualTypeOf<Execution>();
      })
      .handler(async (event, context) => {
        expectTypeOf(context.execution).toEqualTypeOf<Execution>();
        expectTypeOf(context.functionName).toBeString();
        return event.time;
      });
  });

  test('row 62: functions of options are given the event', () => {
    singleExecution<ScheduledEvent>({
      ...options,
      name: (event, context) => {
        expectTypeOf(event).toEqualTypeOf<ScheduledEvent>();
        return context.functionName;
      },
    });
    // @ts-expect-error Middy calls the handler once
    singleExecution({ ...options, catchUp: { mode: 'all' } });
  });
});
