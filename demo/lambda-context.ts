import type { Context } from 'single-execution';
import type { Call } from './call.js';

/** The context that Lambda would give to an invocation that arrives now. */
export function lambdaContext(
  functionName: string,
  { requestId, remainingMs }: Pick<Call, 'requestId' | 'remainingMs'>,
): Context {
  const endsAt = performance.now() + remainingMs;
  const unsupported = () => {
    throw new Error('callbacks are not supported');
  };
  return {
    callbackWaitsForEmptyEventLoop: false,
    functionName,
    functionVersion: '7',
    invokedFunctionArn: `arn:aws:lambda:eu-central-1:123456789012:function:${functionName}`,
    memoryLimitInMB: '128',
    awsRequestId: requestId,
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'demo',
    getRemainingTimeInMillis: () => endsAt - performance.now(),
    done: unsupported,
    fail: unsupported,
    succeed: unsupported,
  };
}
