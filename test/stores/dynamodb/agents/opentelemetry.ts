import { SpanStatusCode, trace } from '@opentelemetry/api';
import { AwsInstrumentation } from '@opentelemetry/instrumentation-aws-sdk';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import type { Agent } from './agent.js';

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
provider.register();
new AwsInstrumentation().setTracerProvider(provider);

export const agent: Agent = {
  within: (name, task) => trace.getTracer('test').startActiveSpan(name, (span) => task().finally(() => span.end())),
  async sent() {
    return exporter.getFinishedSpans().map((span) => {
      const { 'aws.request.id': requestId, ...attributes } = span.attributes;
      return {
        id: span.spanContext().spanId,
        parentId: span.parentSpanContext?.spanId,
        startedAt: span.startTime[0] * 1e3 + span.startTime[1] / 1e6,
        name: span.name,
        requestId: requestId as string | undefined,
        attributes: {
          ...attributes,
          status: SpanStatusCode[span.status.code],
          exceptions: span.events.map((event) => event.attributes?.['exception.type']),
        },
      };
    });
  },
};
