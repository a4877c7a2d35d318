// What Lambda's Node.js runtime does between the Runtime API and a handler. It stands beside no node_modules, so it
// imports nothing but Node's own. Lambda has two such runtimes: the one up to Node 22 knows callbacks and reports what
// nobody caught, the one from Node 24 on leaves both to Node, whose process then ends.
// Not done: prefixes on console lines, response streaming, clientContext and identity.
import { existsSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';

const { AWS_LAMBDA_RUNTIME_API, LAMBDA_TASK_ROOT, _HANDLER } = process.env;
const BEFORE_24 = Number.parseInt(process.versions.node, 10) < 24;
const agent = new Agent({ keepAlive: true });

/** The run under way: its `requestId`, `posted` once its result is on the way, `whenLoopIsEmpty` if it waits for that. */
let run;
let crashing = false;

function call(method, path, body) {
  return new Promise((resolve) => {
    const url = `http://${AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/${path}`;
    request(url, { method, agent }, async (response) =>
      resolve({ headers: response.headers, body: await text(response) }),
    )
      // The host has gone.
      .on('error', () => process.exit(1))
      .end(body);
  });
}

function runtimeError(name, message) {
  return Object.assign(new Error(message), { name: `Runtime.${name}` });
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
  if (!path) throw runtimeError('ImportModuleError', `Cannot find module '${file}'`);
  const loaded = await import(pathToFileURL(path).href).catch((error) => {
    throw error instanceof SyntaxError ? runtimeError('UserCodeSyntaxError', String(error)) : error;
  });
  const handler = loaded[name] ?? loaded.default?.[name];
  if (typeof handler !== 'function') throw runtimeError('HandlerNotFound', `${_HANDLER} is not a function`);
  if (!BEFORE_24 && handler.length >= 3) {
    throw runtimeError('CallbackHandlerDeprecated', 'Lambda takes no handlers with a callback from Node.js 24 on');
  }
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

/** Up to Node 22: what the handler's promise or its callback gives. */
function withCallback(handler, event, context) {
  const own = run;
  return new Promise((resolve, reject) => {
    const callback = (error, value) => {
      if (error !== undefined && error !== null) reject(error);
      else if (context.callbackWaitsForEmptyEventLoop) own.whenLoopIsEmpty = () => resolve(value);
      else resolve(value);
    };
    // A handler that can settle no more is an error only if it is an async function.
    own.whenLoopIsEmpty =
      handler.constructor.name === 'AsyncFunction'
        ? () => reject(runtimeError('NodeJsExit', 'The event loop is empty and the promise was never settled'))
        : () => resolve(null);
    const result = handler(event, context, callback);
    if (typeof result?.then === 'function') result.then(resolve, reject);
  });
}

async function resultOf(handler, event, context) {
  try {
    const value = await (BEFORE_24 ? withCallback(handler, event, context) : handler(event, context));
    return ['response', JSON.stringify(value ?? null)];
  } catch (error) {
    return ['error', described(error)];
  }
}

async function serve(handler) {
  while (!crashing) {
    const { headers, body } = await call('GET', 'invocation/next');
    process.env._X_AMZN_TRACE_ID = headers['lambda-runtime-trace-id'];
    const requestId = headers['lambda-runtime-aws-request-id'];
    run = { requestId };
    const [kind, answer] = await resultOf(handler, JSON.parse(body), contextOf(headers));
    // From Node 24 on, a rejection that nobody caught comes before the result; up to Node 22, after it.
    if (!BEFORE_24) await setImmediate();
    run.posted = call('POST', `invocation/${requestId}/${kind}`, answer);
    await run.posted;
    run = undefined;
  }
}

async function crash(exitCode, error) {
  crashing = true;
  process.stderr.write(`${inspect(error)}\n`);
  const path = run ? `invocation/${run.requestId}/error` : 'init/error';
  await (run?.posted ?? call('POST', path, described(error)));
  process.exit(exitCode);
}

if (BEFORE_24) {
  process.on('uncaughtException', (error) => crash(129, error));
  process.on('unhandledRejection', (reason) => crash(128, runtimeError('UnhandledPromiseRejection', String(reason))));
  process.on('beforeExit', () => run?.whenLoopIsEmpty?.());
}

loadHandler().then(serve, (error) => crash(1, error));
