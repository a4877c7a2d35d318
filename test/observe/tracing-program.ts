/*
 * A process that asks for a lock once, with OpenTelemetry: it says when it runs, ends when it is told to on stdin, and
 * says its span.
 */
import { once } from 'node:events';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { executeWithLock } from 'single-execution';
import { otelObserver } from 'single-execution/observe';
import type { StoreAddress } from '../support/backends/backend.js';
import { openStore } from '../support/backends.js';
import { order, say } from '../support/told.js';

const { store: address, name } = order<{ readonly store: StoreAddress; readonly name: string }>();
const exporter = new InMemorySpanExporter();
const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer('test');
const { store, close } = await openStore(address);

const task = async () => {
  say('running');
  await once(process.stdin, 'data');
};
await executeWithLock(task, { name, store, lockAtMostFor: '1m', observers: [otelObserver({ tracer })] });
const [span] = exporter.getFinishedSpans();
const { traceId, spanId } = span?.spanContext() ?? {};
say('span', { traceId, spanId, links: span?.links.map(({ context }) => [context.traceId, context.spanId]) });
close();
process.stdin.destroy();
