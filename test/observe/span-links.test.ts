import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { executeWithLock, type LockEvent, type Observer } from 'single-execution';
import { otelObserver } from 'single-execution/observe';
import { describe, expect, test, vi } from 'vitest';
import { realProcesses } from '../chaos/real-processes.js';
import { kindsOfRun } from '../support/backends/stage.js';
import { pass } from '../support/clocks.js';
import { memoryLocks, NOW } from '../support/memory-locks.js';

/** A process with a tracer of its own, and the spans that it has ended. */
function traced() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return { observer: otelObserver({ tracer: provider.getTracer('test') }), spans: () => exporter.getFinishedSpans() };
}

describe('row 106: the span of a skip', () => {
  test('row 106: links to the span of the run that holds the lock', async () => {
    const { options, clock } = memoryLocks();
    const [winner, loser] = [traced(), traced()];
    const running = executeWithLock(() => pass(clock, 5_000), { ...options, observers: [winner.observer] });
    await executeWithLock(() => {}, { ...options, observers: [loser.observer] });
    await clock.advance(5_000);
    await running;

    const [won] = winner.spans();
    const { traceId, spanId } = won?.spanContext() ?? {};
    expect(won?.links).toEqual([]);
    expect(loser.spans()).toMatchObject([{ links: [{ context: { traceId, spanId } }] }]);
  });

  test('row 106: links to the span of the run that has done its tick', async () => {
    const { options } = memoryLocks();
    const { observer, spans } = traced();
    for (const tick of [NOW, NOW]) await executeWithLock(() => {}, { ...options, tick, observers: [observer] });

    const [done, skipped] = spans();
    expect(skipped?.links.map(({ context }) => context.spanId)).toEqual([done?.spanContext().spanId]);
  });

  test('a holder that left no trace, or one that cannot be read, is linked to by nobody', async () => {
    const { options, clock } = memoryLocks();
    for (const left of ['', '.AAAA', '.', `.${'!'.repeat(32)}`]) {
      const { observer, spans } = traced();
      const tracing: Observer = Object.assign(() => {}, { beginTrace: () => left });
      const name = `digest${left}`;
      const running = executeWithLock(() => pass(clock, 5_000), { ...options, name, observers: [tracing] });
      await executeWithLock(() => {}, { ...options, name, observers: [observer] });
      await clock.advance(5_000);
      await running;

      expect(spans().map(({ links }) => links)).toEqual([[]]);
    }
  });
});

test('a skip is no failure if another store leaves out the attempt of a holder', async () => {
  const { options } = memoryLocks();
  const { observer, spans } = traced();
  const { attemptId: _, ...holder } = {
    attemptId: '',
    lockedBy: 'b',
    lockedAtMs: NOW,
    lockUntilMs: NOW,
    fencingToken: 5,
  };
  vi.spyOn(options.store, 'acquire').mockResolvedValue({
    status: 'refused',
    reason: 'locked',
    holder: holder as never,
  });

  const outcome = await executeWithLock(() => {}, { ...options, observers: [observer] });
  expect(outcome).toMatchObject({ status: 'skipped', holder: { fencingToken: 5 } });
  expect(spans()).toMatchObject([{ links: [] }]);
});

describe('a call', () => {
  test('whose tracer fails runs as ever and is counted, and its attempt id has no trace', async () => {
    const { options } = memoryLocks();
    const events: LockEvent[] = [];
    const startSpan = () => {
      throw new Error('no exporter');
    };
    const counted: string[] = [];
    const createCounter = (name: string) => ({ add: () => void counted.push(name) });
    const meter = { createCounter, createHistogram: () => ({ record() {} }) };
    const observers = [otelObserver({ tracer: { startSpan }, meter }), (event: LockEvent) => void events.push(event)];

    expect(await executeWithLock(() => 'sent', { ...options, observers })).toMatchObject({ value: 'sent' });
    expect(counted).toEqual(['single_execution.attempts', 'single_execution.succeeded']);
    expect(events[0]?.attemptId).toMatch(/^a[\w-]{22}$/);
  });

  test('of two observers that trace, the first leaves its trace, and each has one span', async () => {
    const { options } = memoryLocks();
    const [first, second] = [traced(), traced()];
    await executeWithLock(() => {}, { ...options, observers: [first.observer, second.observer] });

    expect([first.spans().length, second.spans().length]).toEqual([1, 1]);
  });
});

describe('row 106: of two processes that race', () => {
  const KINDS = kindsOfRun('processes');
  const { on, start } = realProcesses(new URL('tracing-program.ts', import.meta.url), KINDS);

  test.each(KINDS)('row 106: the loser’s span names the winner’s, by what %s has kept', async (kind) => {
    const order = { store: on(kind).address, name: `raced-on-${kind}` };
    const both = [start(order), start(order)] as const;
    // The loser may have ended before the winner has said that it runs.
    const [winner, loser] = await Promise.any(
      both.map(async (child, n) => {
        await child.until('running');
        return [child, both[1 - n] as typeof child] as const;
      }),
    );
    const lost = await loser.until('span');
    winner.tell('finish');
    const won = await winner.until('span');

    expect(won['links']).toEqual([]);
    expect(lost['links']).toEqual([[won['traceId'], won['spanId']]]);
    expect(won['traceId']).not.toBe(lost['traceId']);
  });
});
