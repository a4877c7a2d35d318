import { unawaited } from '../core/values/promised.js';

/**
 * Lambda's context. It has the members of `Context` of @types/aws-lambda, so that handlers annotated with that type
 * fit. This library reads only the remaining time, and the function's name, version, ARN and request id.
 */
export interface Context {
  /** For callback handlers; no effect on handlers that return a promise. */
  callbackWaitsForEmptyEventLoop: boolean;
  /** Name of the function. */
  functionName: string;
  /** Version of the function, such as `$LATEST`. */
  functionVersion: string;
  /** The ARN that was invoked; it may end in an alias or a version. */
  invokedFunctionArn: string;
  /** Memory of the function, in megabytes. */
  memoryLimitInMB: string;
  /** Id of the invocation. A retry by Lambda has the same id. */
  awsRequestId: string;
  /** CloudWatch log group of the function. */
  logGroupName: string;
  /** Log stream of this execution environment. */
  logStreamName: string;
  /** The Cognito identity of a mobile app that has invoked the function. */
  identity?:
    | {
        /** Id of the identity. */
        cognitoIdentityId: string;
        /** Id of the pool that the identity belongs to. */
        cognitoIdentityPoolId: string;
      }
    | undefined;
  /** Data that a mobile app sends about itself. */
  clientContext?: ClientContext | undefined;
  /** Id of the tenant, if the function isolates tenants. */
  tenantId?: string | undefined;
  /** Milliseconds until Lambda ends the invocation. The default lease and the deadline are computed from this time. */
  getRemainingTimeInMillis(): number;
  /** For callback handlers. Do not call it. */
  done(error?: Error, result?: unknown): void;
  /** For callback handlers. Do not call it. */
  fail(error: Error | string): void;
  /** For callback handlers. Do not call it. */
  succeed(message: unknown, object?: unknown): void;
}

/** Data about an app from AWS's mobile SDKs, as in @types/aws-lambda. */
interface ClientContext {
  /** The app. */
  client: {
    /** Id of the app's installation on the device. */
    installationId: string;
    /** Title of the app. */
    appTitle: string;
    /** Version of the app, for people. */
    appVersionName: string;
    /** Version of the app, for machines. */
    appVersionCode: string;
    /** Package of the app. */
    appPackageName: string;
  };
  /** Values that the app has added. */
  Custom?: unknown;
  /** The device. */
  env: {
    /** Version of the operating system. */
    platformVersion: string;
    /** Name of the operating system. */
    platform: string;
    /** Maker of the device. */
    make: string;
    /** Model of the device. */
    model: string;
    /** Language and region of the device. */
    locale: string;
  };
}

/** Returns the milliseconds until Lambda ends this invocation; undefined if an emulator does not report them. */
export function remainingMs(context: Partial<Context> | undefined): number | undefined {
  if (typeof context?.getRemainingTimeInMillis !== 'function') return undefined;
  const ms: unknown = context.getRemainingTimeInMillis();
  unawaited(ms);
  return typeof ms === 'number' && Number.isFinite(ms) ? ms : undefined;
}

/**
 * Describes an invocation for people who look at the lock: function, version, region and request id, and nothing else.
 */
export function whoRuns(context: Partial<Context> | undefined): string {
  const { functionName, functionVersion, invokedFunctionArn, awsRequestId } = context ?? {};
  const region = typeof invokedFunctionArn === 'string' ? invokedFunctionArn.split(':')[3] : undefined;
  const isKnown = (part: unknown) => typeof part === 'string' && part !== '';
  const name = isKnown(functionName) ? functionName : 'a function';
  return [name, ...[functionVersion, region, awsRequestId].filter(isKnown)].join(' ');
}
