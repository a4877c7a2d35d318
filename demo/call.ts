/** An invocation on its way to a worker process. */
export interface Call {
  readonly id: number;
  readonly handler: 'nightly-report' | 'tenant-sync';
  readonly event: unknown;
  readonly requestId: string;
  readonly remainingMs: number;
}

/** What the worker's handler returned or threw. */
export interface Reply {
  readonly id: number;
  readonly value?: unknown;
  readonly thrown?: { readonly name: string; readonly message: string };
}

export function isCall(message: unknown): message is Call {
  return typeof message === 'object' && message !== null && 'handler' in message;
}

export function isReply(message: unknown): message is Reply {
  return typeof message === 'object' && message !== null && 'id' in message;
}
