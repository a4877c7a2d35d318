// Does what Lambda's Node.js runtime does between the Runtime API and a handler. No node_modules is near this file, so
// it imports only Node's own modules. The runtime up to Node 22 passes a callback. The runtime from Node 24 on refuses
// handlers that take a callback.
// Left out: results through the callback, reports of uncaught errors and of a module that does not load (the process
// ends), prefixes on console lines, response streaming, traces, clientContext and identity.
import { existsSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

const { AWS_LAMBDA_RUNTIME_API, LAMBDA_TASK_ROOT, _HANDLER } = process.env;
const BEFORE_24 = Number.parseInt(process.versions.node, 10) < 24;
const agent = new Agent({ keepAlive: true });

function call(method, path, body) {
  return new Promise((resolve) => {
    const url = `http://${AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/${path}`;
    request(url, { method, agent }, async (response) =>
      resolve({ headers: response.headers, body: await text(response) }),
    )
      // The host is gone.
      .on('error', () => process.exit(1))
      .end(body);
  });
}

function described(error) {
  return JSON.stringify(
    error instanceof Error
      ? { errorType: error.name, errorMessage: error.message, trace: String(error.stack).split('\n') }
      : { errorType: typeof error, errorMessage: String(error), trace: [] },
  );
}

async function loadHandler() {
  const [, file, name] = /^(.*)\.([^.]+)$/.exec(_HANDLER) ?? [];
  const path = ['.mjs', '.js', '.cjs'].map((end) => join(LAMBDA_TASK_ROOT, file + end)).find(existsSync);
  const loaded = await import(pathToFileURL(path).href);
  const handler = loaded[name] ?? loaded.default?.[name];
  if (!BEFORE_24 && handler.length >= 3) throw new Error('Lambda takes no callback handlers from Node.js 24 on');
  return handler;
}

function contextOf(headers) {
  const { env } = process;
  const deadlineMs = Number(headers['lambda-runtime-deadline-ms']);
  return {
    ...(BEFORE_24 && { callbackWaitsForEmptyEventLoop: true }),
    functionName: env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: env.AWS_LAMBDA_FUNCTION_VERSION,
    memoryLimitInMB: env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    logGroupName: env.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: env.AWS_LAMBDA_LOG_STREAM_NAME,
    invokedFunctionArn: headers['lambda-runtime-invoked-function-arn'],
    awsRequestId: headers['lambda-runtime-aws-request-id'],
    getRemainingTimeInMillis: () => deadlineMs - Date.now(),
  };
}

function callback() {
  throw new Error('the callback of a handler is not played');
}

async function resultOf(handler, event, context) {
  try {
    const value = await handler(event, context, ...(BEFORE_24 ? [callback] : []));
    return ['response', JSON.stringify(value ?? null)];
  } catch (error) {
    return ['error', described(error)];
  }
}

const handler = await loadHandler();
for (;;) {
  const { headers, body } = await call('GET', 'invocation/next');
  const [kind, answer] = await resultOf(handler, JSON.parse(body), contextOf(headers));
  await call('POST', `invocation/${headers['lambda-runtime-aws-request-id']}/${kind}`, answer);
}
