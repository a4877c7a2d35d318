/**
 * The members of Middy's `request.internal` in which the middlewares of Powertools for AWS Lambda keep the functions
 * that end their work, for a middleware that answers early. Powertools calls them in this order.
 */
const CLEANUPS = ['tracer', 'metrics', 'logger', 'idempotency'].map((name) => `powertools-for-aws.${name}`);

/** The part of Middy's request that this file uses. */
interface Request {
  readonly internal: object;
}

/**
 * Ends the work of the Powertools middlewares that were called before an early answer: Middy calls no `after` of them.
 * Otherwise the tracer's segment stays open, and the metrics are published with those of the next invocation. Never
 * rejects.
 */
export async function closePowertools(request: Request): Promise<void> {
  for (const name of CLEANUPS) {
    const close: unknown = Reflect.get(request.internal, name);
    if (typeof close !== 'function') continue;
    try {
      await close(request);
    } catch {
      // With `throwOnEmptyMetrics` a skip has no metrics to publish. It is a success all the same.
    }
  }
}
