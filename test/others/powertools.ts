import { IdempotencyItemAlreadyExistsError } from '@aws-lambda-powertools/idempotency';
import { makeHandlerIdempotent } from '@aws-lambda-powertools/idempotency/middleware';
import { BasePersistenceLayer, type IdempotencyRecord } from '@aws-lambda-powertools/idempotency/persistence';
import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware';
import { Tracer } from '@aws-lambda-powertools/tracer';
import { captureLambdaHandler } from '@aws-lambda-powertools/tracer/middleware';
import { type Segment, Segment as XRaySegment } from 'aws-xray-sdk-core';

/** The three middlewares of Powertools, and what they have open. */
export interface Powertools {
  readonly tracer: Tracer;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly middlewares: Readonly<Record<'tracer' | 'metrics' | 'logger', object>>;
  /** Runs a function as Lambda does: under the segment of an invocation. Returns that segment. */
  invoke(call: () => Promise<unknown>): Promise<Segment>;
}

/** Makes Powertools as in a deployed function, with tracing on. Nothing is sent to X-Ray. */
export function powertools(options: { readonly throwOnEmptyMetrics?: boolean } = {}): Powertools {
  const tracer = new Tracer({ serviceName: 'digest', captureHTTPsRequests: false });
  const metrics = new Metrics({ namespace: 'digests', serviceName: 'digest' });
  const logger = new Logger({ serviceName: 'digest' });
  return {
    tracer,
    metrics,
    logger,
    middlewares: {
      tracer: captureLambdaHandler(tracer),
      metrics: logMetrics(metrics, options),
      logger: injectLambdaContext(logger, { resetKeys: true }),
    },
    async invoke(call) {
      const { provider } = tracer;
      const segment = new XRaySegment('lambda');
      await provider.getNamespace().runAndReturn(async () => {
        provider.setSegment(segment);
        await call();
        // Lambda's segment is the current one again: what comes next is not written below a skip.
        if (provider.getSegment() !== segment) throw new Error('the current segment is not that of the invocation');
      });
      return segment;
    },
  };
}

/** Makes the middleware of idempotency, and lists the states of its records, which are kept in memory. */
export function idempotency(): { readonly middleware: object; statuses(): string[] } {
  const records = new Map<string, IdempotencyRecord>();
  class Memory extends BasePersistenceLayer {
    protected async _getRecord(key: string): Promise<IdempotencyRecord> {
      return records.get(key) as IdempotencyRecord;
    }
    protected async _putRecord(record: IdempotencyRecord): Promise<void> {
      const found = records.get(record.idempotencyKey);
      if (found) throw new IdempotencyItemAlreadyExistsError('it exists', found);
      records.set(record.idempotencyKey, record);
    }
    protected async _updateRecord(record: IdempotencyRecord): Promise<void> {
      records.set(record.idempotencyKey, record);
    }
    protected async _deleteRecord({ idempotencyKey }: IdempotencyRecord): Promise<void> {
      records.delete(idempotencyKey);
    }
  }
  return {
    middleware: makeHandlerIdempotent({ persistenceStore: new Memory() }),
    statuses: () => [...records.values()].map((record) => record.getStatus()),
  };
}
