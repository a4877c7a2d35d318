declare module 'redlock' {
  import type { Redis } from 'ioredis-5';

  class Redlock {
    static LockError: typeof Error;
    constructor(clients: readonly Redis[], options?: { readonly retryCount?: number });
    on(event: 'clientError', listener: (error: Error) => void): this;
    lock(resource: string, ttlMs: number): Promise<{ unlock(): Promise<void> }>;
  }
  export = Redlock;
}

declare module 'redlock-5' {
  import type { Redis } from 'ioredis-5';

  class Redlock {
    constructor(clients: readonly Redis[], options?: { readonly retryCount?: number });
    on(event: 'error', listener: (error: Error) => void): this;
    using<T>(resources: string[], ttlMs: number, routine: (signal: AbortSignal) => Promise<T>): Promise<T>;
  }
  export class ResourceLockedError extends Error {}
  // biome-ignore lint/style/noDefaultExport: the package has one
  export { Redlock as default };
}

declare module 'dynamodb-lock-client' {
  import type { DynamoDB } from 'aws-sdk';

  interface Lock {
    on(event: 'error', listener: (error: Error) => void): this;
    release(done: (error?: Error) => void): void;
  }
  interface Options {
    readonly dynamodb: DynamoDB.DocumentClient;
    readonly lockTable: string;
    readonly partitionKey: string;
    readonly heartbeatPeriodMs?: number;
    readonly leaseDurationMs: number;
    readonly retryCount?: number;
  }
  class FailOpen {
    constructor(options: Options);
    acquireLock(id: string, done: (error: (Error & { readonly code?: string }) | undefined, lock: Lock) => void): void;
  }
  const client: { readonly FailOpen: typeof FailOpen };
  export = client;
}
