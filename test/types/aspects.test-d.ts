import middy from '@middy/core';
import type { ScheduledEvent } from 'aws-lambda';
import type { RunCoordinator } from 'node-cron';
import type { Execution } from 'single-execution';
import { SingleExecution } from 'single-execution/decorator';
import { memoryStore } from 'single-execution/memory';
import { singleExecution } from 'single-execution/middy';
import { nodeCronCoordinator } from 'single-execution/process';
import { lambdaContext, scheduledEvent } from 'single-execution/testing';
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

  test('row 62: a call is given a context without the execution by a cast, and only so', () => {
    const handler = middy<ScheduledEvent, string>()
      .use(singleExecution(options))
      .handler(async (event) => event.time);
    handler(scheduledEvent(), lambdaContext() as Parameters<typeof handler>[1]);
    // @ts-expect-error Middy asks of a call what the handler is given
    handler(scheduledEvent(), lambdaContext());
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

describe('row 62: decorators', () => {
  const job = { ...options, lockAtMostFor: '1m', tick: 'none' } as const;

  test('row 62: of the language, on a method that returns a promise', () => {
    class Reports {
      @SingleExecution(job)
      async send(tenant: string): Promise<number> {
        return tenant.length;
      }

      // @ts-expect-error a method that is not async would be made so
      @SingleExecution(job)
      count(): number {
        return 5;
      }

      @SingleExecution<[tenant: string]>({ ...job, name: (tenant) => `report-${tenant}` })
      async sendTo(tenant: string): Promise<string> {
        return tenant;
      }

      // @ts-expect-error a name is made from the method's own arguments
      @SingleExecution<[tenant: string]>({ ...job, name: (tenant) => `report-${tenant}` })
      async sendAt(at: number): Promise<number> {
        return at;
      }
    }
    expectTypeOf<Reports['send']>().toEqualTypeOf<(tenant: string) => Promise<number>>();
  });

  test('row 62: of experimentalDecorators, on a method that returns a promise', () => {
    const decorate = SingleExecution(job);
    decorate({}, 'send', { value: async () => 5 });
    // @ts-expect-error a method that is not async would be made so
    decorate({}, 'send', { value: () => 5 });
    // @ts-expect-error a field is no method
    decorate({}, 'send');
  });
});

test('row 62: node-cron takes a coordinator', () => {
  expectTypeOf(nodeCronCoordinator({ store })).toExtend<RunCoordinator>();
  // @ts-expect-error node-cron does not tell its schedule
  nodeCronCoordinator({ store, schedule: '5m' });
});
