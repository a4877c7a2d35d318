import { metrics, SpanStatusCode, trace } from '@opentelemetry/api';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { executeWithLock } from 'single-execution';
import { otelObserver } from 'single-execution/observe';
import { afterEach, describe, expect, test } from 'vitest';
import { thisProcess } from '../../src/core/values/environment.js';
import { pass } from '../support/clocks.js';
import { MINUTE, memoryLocks, NOW } from '../support/memory-locks.js';
import { SCENES } from './scenes.js';

/** Collects when it is asked to. */
class Reader extends MetricReader {
  override async onForceFlush(): Promise<void> {}
  override async onShutdown(): Promise<void> {}
}

/** The real SDK, which keeps what it is given. */
function sdk() {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const reader = new Reader();
  const meterProvider = new MeterProvider({ readers: [reader] });
  return {
    tracerProvider,
    meterProvider,
    options: { tracer: tracerProvider.getTracer('test'), meter: meterProvider.getMeter('test') },
    spans: () => exporter.getFinishedSpans(),
    /** The sum of each metric, or what its histogram has counted. */
    async measured() {
      const { resourceMetrics } = await reader.collect();
      const all = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
      return Object.fromEntries(
        all.map(({ descriptor, dataPoints }) => [
          descriptor.name.replace('single_execution.', ''),
          dataPoints.map(({ value }) => (typeof value === 'number' ? value : (value as { sum: number }).sum)),
        ]),
      );
    },
  };
}

const attribute = (name: string) => `single_execution.${name}`;

describe('row 104: otelObserver', () => {
  test('row 104: makes a span of each run, by the clock of the run', async () => {
    const { options: own, spans, measured } = sdk();
    const { options, clock } = memoryLocks();
    const running = executeWithLock(() => pass(clock, 5_000), {
      ...options,
      tick: NOW,
      observers: [otelObserver(own)],
    });
    await clock.advance(5_000);
    await running;

    expect(spans()).toHaveLength(1);
    expect(spans()[0]).toMatchObject({
      name: 'single-execution run',
      startTime: [NOW / 1_000, 0],
      duration: [5, 0],
      status: { code: SpanStatusCode.UNSET },
      attributes: {
        'faas.trigger': 'timer',
        'faas.time': '2026-01-01T00:00:00.000Z',
        [attribute('lock.name')]: 'digest',
        [attribute('fencing_token')]: NOW + 1,
        [attribute('outcome')]: 'succeeded',
        [attribute('release')]: 'released',
      },
    });
    expect(await measured()).toEqual({
      attempts: [1],
      succeeded: [1],
      'run.duration': [5],
      'lock.hold_time': [5],
    });
  });

  test('row 190: the span of a run by hand shows that it is one', async () => {
    const { options: own, spans } = sdk();
    await executeWithLock(() => {}, { ...memoryLocks().options, isManual: true, observers: [otelObserver(own)] });

    expect(spans()[0]?.attributes).toMatchObject({ [attribute('is_manual')]: true });
    expect(spans()[0]?.attributes).not.toHaveProperty('faas.trigger');
  });

  test('row 104: the span of a run that failed is an error, and has only the name of the error', async () => {
    const { options: own, spans, measured } = sdk();
    const { options } = memoryLocks();
    const failing = () => Promise.reject(new RangeError('password=secret'));
    await executeWithLock(failing, { ...options, observers: [otelObserver(own)] }).catch(() => undefined);

    expect(spans()[0]).toMatchObject({ status: { code: SpanStatusCode.ERROR }, events: [] });
    expect(spans()[0]?.attributes).toMatchObject({ 'error.type': 'RangeError', [attribute('outcome')]: 'failed' });
    expect(JSON.stringify(spans()[0]?.attributes) + JSON.stringify(spans()[0]?.status)).not.toContain('secret');
    expect(await measured()).toMatchObject({ failed: [1] });
  });

  test('row 104: the span of a skip shows why, and who holds the lock', async () => {
    const { options: own, spans, measured } = sdk();
    await SCENES['skipped']?.(otelObserver(own));

    expect(spans()[1]).toMatchObject({
      duration: [0, 0],
      status: { code: SpanStatusCode.UNSET },
      attributes: {
        [attribute('outcome')]: 'skipped',
        [attribute('skip.reason')]: 'already-executed',
        [attribute('holder')]: thisProcess(),
        [attribute('holder.fencing_token')]: NOW + 1,
      },
    });
    expect(await measured()).toMatchObject({ attempts: [2], succeeded: [1], skipped: [1] });
  });

  test.each<[scene: string, attributes: object, metric: string, value: number]>([
    ['lost', {}, 'lost', 1],
    ['recovered', { [attribute('previous.fencing_token')]: NOW + 1 }, 'recovered', 1],
    ['missed', { [attribute('ticks')]: 3 }, 'missed', 3],
    [
      'caught-up',
      { [attribute('tick')]: '2026-01-01T00:01:00.000Z', [attribute('status')]: 'succeeded' },
      'caught_up',
      1,
    ],
  ])(
    'row 104: what is %s is an event of the span of its run, and a metric',
    async (scene, attributes, metric, value) => {
      const { options: own, spans, measured } = sdk();
      await SCENES[scene]?.(otelObserver(own));
      const events = spans().flatMap((span) => span.events);

      expect(events).toContainEqual(
        expect.objectContaining({ name: attribute(metric), attributes: expect.objectContaining(attributes) }),
      );
      expect(await measured()).toMatchObject({ [metric]: [value] });
    },
  );

  test('row 104: a store out of reach is a span of its own, with the message of the library', async () => {
    const { options: own, spans, measured } = sdk();
    await SCENES['acquire-failed']?.(otelObserver(own));

    expect(spans()).toHaveLength(1);
    expect(spans()[0]).toMatchObject({
      status: { code: SpanStatusCode.ERROR, message: expect.stringContaining('acquire of lock "digest" failed') },
      attributes: { 'error.type': 'LockStoreError', [attribute('outcome')]: 'error' },
    });
    expect(await measured()).toMatchObject({ store_failures: [1] });
  });

  test('F44 runs at once have a span each, and a call that waits has one', async () => {
    const { options: own, spans } = sdk();
    const { options, clock } = memoryLocks();
    const observers = [otelObserver(own)];
    const run = (name: string) =>
      executeWithLock(() => pass(clock, 2_000), { ...options, name, wait: '1m', observers });
    const running = Promise.all(['a', 'b', 'a'].map(run));
    await clock.advance(MINUTE);
    await running;

    const names = spans().map(({ attributes }) => attributes[attribute('lock.name')]);
    expect(names.sort()).toEqual(['a', 'a', 'b']);
  });

  test.each([
    ['skip', 'skipped'],
    ['run', 'succeeded'],
  ] as const)(
    'row 104: a call that goes on by onStoreError %s has one span, and the failure is an event of it',
    async (onStoreError, outcome) => {
      const { options: own, spans, measured } = sdk();
      const { options } = memoryLocks();
      options.store.acquire = () => Promise.reject(new Error('out of reach'));
      await executeWithLock(() => 'sent', { ...options, onStoreError, observers: [otelObserver(own)] });

      expect(spans()).toHaveLength(1);
      expect(spans()[0]).toMatchObject({
        status: { code: SpanStatusCode.UNSET },
        attributes: { [attribute('outcome')]: outcome },
        events: [{ name: attribute('acquire_failed'), attributes: { 'error.type': 'LockStoreError' } }],
      });
      expect(await measured()).toMatchObject({ attempts: [1], store_failures: [1] });
    },
  );

  test('row 104: what an operator must see of a run is an event of its span, such as a wrong clock', async () => {
    const { options: own, spans } = sdk();
    const { options } = memoryLocks();
    const { acquire } = options.store;
    options.store.acquire = async (...asked) => ({
      ...(await acquire(...asked)),
      clock: { minMs: 2_000, maxMs: 3_000 },
    });
    await executeWithLock(() => 'sent', { ...options, observers: [otelObserver(own)] });

    expect(spans()).toMatchObject([{ events: [{ name: attribute('clock_skew') }] }]);
  });

  test('row 104: a call that waits, and is refused, fails and is granted, has one span', async () => {
    const { options: own, spans } = sdk();
    const { options, clock } = memoryLocks();
    const { acquire } = options.store;
    let tries = 0;
    options.store.acquire = (...asked) => (++tries === 3 ? Promise.reject(new Error('down')) : acquire(...asked));
    const observers = [otelObserver(own)];
    const holder = executeWithLock(() => pass(clock, 2_000), { ...options, observers: [] });
    const waiter = executeWithLock(() => 'sent', { ...options, wait: '1m', onStoreError: 'skip', observers });
    await clock.advance(MINUTE);
    await Promise.all([holder, waiter]);

    expect(spans()).toMatchObject([
      { attributes: { [attribute('outcome')]: 'succeeded' }, events: [{ name: attribute('acquire_failed') }] },
    ]);
  });
});

describe('where neither a tracer nor a meter is given', () => {
  afterEach(() => {
    trace.disable();
    metrics.disable();
  });

  test('row 104: those that the program has registered are taken, also when it does so later', async () => {
    const observer = otelObserver();
    await SCENES['skipped']?.(observer);
    const { tracerProvider, meterProvider, spans, measured } = sdk();
    trace.setGlobalTracerProvider(tracerProvider);
    metrics.setGlobalMeterProvider(meterProvider);
    await SCENES['skipped']?.(observer);

    expect(spans().map(({ instrumentationScope }) => instrumentationScope.name)).toEqual(
      Array(2).fill('single-execution'),
    );
    expect(await measured()).toMatchObject({ attempts: [2] });
  });

  test('a program that has registered nothing runs as ever', async () => {
    await expect(SCENES['skipped']?.(otelObserver())).resolves.toBeUndefined();
  });
});

test.each<[object, RegExp]>([
  [{ traces: {} }, /unknown option 'traces'/],
  [{ tracer: {} }, /tracer has no function 'startSpan': pass trace.getTracer/],
  [{ meter: { createCounter() {} } }, /meter has no function 'createHistogram': pass metrics.getMeter/],
])('options that cannot be are refused: %o', (options, message) => {
  expect(() => otelObserver(options as never)).toThrow(message);
});
