/**
 * The members of Middy's `request.internal` in which the middlewares of Powertools for AWS Lambda keep the
 * functions that end their work, for a middleware that answers early. Powertools calls them in this order.
 */
const KEPT = ['tracer', 'metrics', 'logger'].map((name) => `powertools-for-aws.${name}`);
const IDEMPOTENCY = 'powertools-for-aws.idempotency';

/** The part of Middy's request that this file uses. */
interface Request {
  readonly internal: object;
}

/**
 * Ends the work of the Powertools middlewares that were called before an early answer: Middy calls no `after` of them.
 * Otherwise the tracer's segment stays open, the metrics are published with those of the next invocation, and the
 * record of idempotency refuses the event for as long as a run may take. Never rejects.
 */
export async function closePowertools(request: Request): Promise<void> {
  for (const close of cleanups(request)) {
    try {
      await close();
    } catch {
      // With `throwOnEmptyMetrics` a skip has no metrics to publish. It is a success all the same.
    }
  }
}

function* cleanups(request: Request): Iterable<() => unknown> {
  const { internal } = request;
  for (const name of KEPT) {
    const close: unknown = Reflect.get(internal, name);
    if (typeof close === 'function') yield () => close(request);
  }
  // Of idempotency, Powertools keeps what removes the record of a run that failed. The flag says that it has no record.
  const handler: { handleMiddyOnError?(): unknown } | undefined = Reflect.get(
    internal,
    `${IDEMPOTENCY}.idempotencyHandler`,
  );
  if (Reflect.get(internal, `${IDEMPOTENCY}.skip`) !== true) yield () => handler?.handleMiddyOnError?.();
}
