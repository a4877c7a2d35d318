/**
 * Lambda's context, as `Context` of @types/aws-lambda has it, so that handlers annotated with that type fit. This
 * library reads the remaining time and the four identifying strings.
 */
export interface Context {
  callbackWaitsForEmptyEventLoop: boolean;
  functionName: string;
  functionVersion: string;
  invokedFunctionArn: string;
  memoryLimitInMB: string;
  awsRequestId: string;
  logGroupName: string;
  logStreamName: string;
  identity?: { cognitoIdentityId: string; cognitoIdentityPoolId: string } | undefined;
  clientContext?: ClientContext | undefined;
  tenantId?: string | undefined;
  getRemainingTimeInMillis(): number;
  done(error?: Error, result?: unknown): void;
  fail(error: Error | string): void;
  succeed(message: unknown, object?: unknown): void;
}

interface ClientContext {
  client: {
    installationId: string;
    appTitle: string;
    appVersionName: string;
    appVersionCode: string;
    appPackageName: string;
  };
  Custom?: unknown;
  env: {
    platformVersion: string;
    platform: string;
    make: string;
    model: string;
    locale: string;
  };
}

/** Milliseconds until Lambda ends this invocation; undefined where an emulator does not tell. */
export function remainingMs(context: Partial<Context> | undefined): number | undefined {
  if (typeof context?.getRemainingTimeInMillis !== 'function') return undefined;
  const ms: unknown = context.getRemainingTimeInMillis();
  return typeof ms === 'number' && Number.isFinite(ms) ? ms : undefined;
}

/** For people who look at the lock: function, version, region and request id, and nothing else of the invocation. */
export function whoRuns(context: Partial<Context> | undefined): string {
  const { functionName, functionVersion, invokedFunctionArn, awsRequestId } = context ?? {};
  const region = typeof invokedFunctionArn === 'string' ? invokedFunctionArn.split(':')[3] : undefined;
  const isKnown = (part: unknown) => typeof part === 'string' && part !== '';
  const name = isKnown(functionName) ? functionName : 'a function';
  return [name, ...[functionVersion, region, awsRequestId].filter(isKnown)].join(' ');
}
