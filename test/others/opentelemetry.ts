export { AwsInstrumentation } from '@opentelemetry/instrumentation-aws-sdk';
export { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
