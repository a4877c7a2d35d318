import { type Execution, withSingleExecution as onLambda } from 'single-execution';
import { withSingleExecution as onCloudflare } from 'single-execution/cloudflare';
import { withSingleExecution as onHttp } from 'single-execution/http';
import { withSingleExecution as onProcess } from 'single-execution/process';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { pass } from '../../support/clocks.js';
import { memoryLocks, NOW } from '../../support/memory-locks.js';

interface Over {
  readonly lockAtMostFor?: string;
  readonly keepAlive?: boolean;
  readonly maxDuration?: number | string;
  readonly gracePeriod?: number | string;
}
type Task = (execution: Execution) => Promise<unknown>;
/** A door whose platform tells no remaining time: wraps a task, and gives what calls it. */
type Door = (task: Task, options: Over & ReturnType<typeof setting>) => () => Promise<unknown>;

const controller = { scheduledTime: NOW, cron: '* * * * *', noRetry() {} };
const ctx = { waitUntil() {}, passThroughOnException() {} };
const DOORS: [string, Door][] = [
  [
    'cloudflare',
    (task, options) => {
      const scheduled = onCloudflare((_controller, _env, _ctx, execution) => task(execution), options);
      return () => scheduled(controller, {}, ctx);
    },
  ],
  [
    'http',
    (task, options) => {
      const answer: (_: unknown, __: unknown, execution: Execution) => Promise<Response> = async (_, __, execution) => {
        await task(execution);
        return new Response();
      };
      const route = onHttp(answer, { ...options, secret: false });
      return () => route(new Request('https://example.com'));
    },
  ],
  ['process', (task, options) => onProcess((execution) => task(execution), options)],
];

function setting() {
  const { clock, store } = memoryLocks();
  return { name: 'digest', store, clock, observers: [], tick: 'none' as const };
}

describe.each(DOORS)('row 26: the end that maxDuration sets on /%s', (_, wrap) => {
  test.each<[Over, number]>([
    [{ maxDuration: '1m' }, 59_000],
    [{ maxDuration: '1m', gracePeriod: '5s' }, 55_000],
    [{ maxDuration: '1m', gracePeriod: '5s', lockAtMostFor: '2m' }, 55_000],
    [{ maxDuration: '1m', gracePeriod: '5s', keepAlive: true }, 55_000],
    [{ maxDuration: '5s' }, 4_500],
  ])('row 26: with %o the signal aborts after %i ms', async (over, abortMs) => {
    const options = setting();
    const seen: unknown[] = [];
    const call = wrap(
      async ({ signal }) => {
        await pass(options.clock, abortMs - 1);
        seen.push(signal.aborted);
        await pass(options.clock, 1);
        seen.push((signal.reason as Partial<{ code: string }> | undefined)?.code);
      },
      { ...options, ...over },
    );
    const running = call();
    await options.clock.advance(abortMs);
    await running;

    expect(seen).toEqual([false, 'DEADLINE']);
  });

  describe('F23 lockAtMostFor shorter than maxDuration', () => {
    const callTwice = async (over: Over) => {
      const logged = vi.spyOn(console, 'warn').mockReturnValue();
      onTestFinished(() => logged.mockRestore());
      const call = wrap(async () => {}, { ...setting(), ...over });
      await call();
      await call();
      return logged.mock.calls;
    };

    test('F23 causes one warning that names both', async () => {
      expect(await callTwice({ lockAtMostFor: '1m', maxDuration: '5m' })).toEqual([
        [
          '{"level":"WARN","source":"single-execution","message":"lockAtMostFor is 1m, shorter than maxDuration, which is 5m: a run that takes longer loses its lock; raise it, leave it out, or set keepAlive"}',
        ],
      ]);
    });

    test.each<[string, Over]>([
      ['it is as long', { lockAtMostFor: '5m', maxDuration: '5m' }],
      ['it is not given', { maxDuration: '5m' }],
      ['it is renewed', { lockAtMostFor: '1m', keepAlive: true, maxDuration: '5m' }],
      ['there is no maxDuration', { lockAtMostFor: '1m' }],
    ])('F23 causes no warning when %s', async (_, over) => {
      expect(await callTwice(over)).toEqual([]);
    });
  });

  test('row 20: the lease covers it and 2 s more, unless it is given or renewed', async () => {
    const leaseOf = async (over: Over) => {
      let leaseMs: number | undefined;
      const lease: Task = async ({ lockUntil }) => {
        leaseMs = lockUntil.getTime() - NOW;
      };
      await wrap(lease, { ...setting(), ...over })();
      return leaseMs;
    };

    expect(await leaseOf({ maxDuration: '1m' })).toBe(62_000);
    expect(await leaseOf({ maxDuration: '1m', lockAtMostFor: '10m' })).toBe(600_000);
    expect(await leaseOf({ maxDuration: '1m', keepAlive: true })).toBe(30_000);
  });

  test.each<[Over, string]>([
    [
      {},
      'lockAtMostFor is undefined: say how long the lock outlives a holder that dies, such as 5m, or set maxDuration or keepAlive',
    ],
    [{ maxDuration: 0 }, 'maxDuration is 0: say how long the platform lets a run last'],
    [{ maxDuration: 'long' }, "maxDuration is 'long': pass milliseconds as a number"],
    [
      { lockAtMostFor: '1m', gracePeriod: 0 },
      'gracePeriod does nothing without maxDuration: set both, or leave gracePeriod out',
    ],
  ])('row 14: %o is refused when wrapping', (over, message) => {
    expect(() => wrap(async () => {}, { ...setting(), ...over })).toThrow(message);
  });
});

test('row 14: on Lambda, which reports the remaining time itself, there is no maxDuration', () => {
  expect(() => onLambda(async () => {}, { ...setting(), ...{ maxDuration: '1m' } })).toThrow(
    "unknown option 'maxDuration'",
  );
});
